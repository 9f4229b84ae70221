"""Numbers and tables as text."""


def seconds(value):
    """Three digits that count, in the unit that suits."""
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= size:
            n = value / size
            return f"{n:.{2 if n < 10 else 1 if n < 100 else 0}f} {unit}"
    return f"{value * 1e9:.1f} ns"


def megabytes(value):
    return f"{value / 1e6:.2f} MB"


def yes_no(met):
    return "yes" if met else "**no**"


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
