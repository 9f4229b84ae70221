"""The parts of bench/measure.py."""
