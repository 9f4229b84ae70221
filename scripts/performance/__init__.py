"""The parts of scripts/performance_report.py and scripts/bench_check.py."""
