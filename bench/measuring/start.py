"""How long it takes until a program does something: compiled first, compiled before, built."""
import tempfile

from measuring import children, programs


def measure(places, settings, say):
    """Seconds and memory of `cleave run` with an empty cache, of the same again, and of a
    built program that does nothing beside a C++ one that does nothing."""
    source = places.root / "bench" / "programs" / "start.bend"
    command = [places.tool, "run", source]
    with_cxx = programs.compiler(places.build)
    rounds = 2 if settings.quick else 15

    say("start: a first run")
    first = []
    for _ in range(1 if settings.quick else 3):
        with tempfile.TemporaryDirectory() as cache:
            env = children.environment(CLEAVE_CACHE=cache, CXX=with_cxx)
            first.append(children.run(places.launcher, command, env))
            again = [children.run(places.launcher, command, env) for _ in range(rounds)]

    say("start: a program that does nothing")
    binary = places.program("start")
    with tempfile.TemporaryDirectory() as cache:
        programs.compile_program(places, "start", cache, source=source)
    env = children.environment(1)
    built = children.in_turns({
        "program": lambda: children.run(places.launcher, [binary], env),
        "twin": lambda: children.run(places.launcher, [places.built / "start"], env),
    }, rounds)
    programs.same_output({"the first run": first[0].output, "the second run": again[0].output,
                          **{name: samples[0].output for name, samples in built.items()}})
    return {
        "first_run": children.sum_up(first),
        "second_run": children.sum_up(again),
        "program": children.sum_up(built["program"]),
        "twin": children.sum_up(built["twin"]),
    }
