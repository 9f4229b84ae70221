# random_programs_test.py -- random programs, compiled and run: they must print what they mean.
#
#   random_programs_test.py PATH-OF-CLEAVE SEED...
#
# An expression is made as a text of the language and, beside it, as a function of Python that
# computes the same from the values of the names around it. A def is one large expression of
# its parameters; main calls each def and prints the result. What is written here of a form is
# its meaning, never what some compiler did with it.
import os
import random
import sys
import tempfile

from program_test import agrees

WORD = 2 ** 32
DEFS = 50
DEPTH = 4

# The types, each with how a value of it is shown.
U32, NAT, BOOL, STRING = "U32", "Nat", "Bool", "String"
LIST, PAIR, MAYBE, RECORD = "List<&2, U32>", "U32 & String", "Maybe<&2, U32>", "Record"
ARRAY = "Array<U32>"
SHOWN = {U32: "U32.show({})", NAT: "Nat.show({})", BOOL: "Bool.show({})", STRING: "{}",
         LIST: "List.show(~&2, ~U32, ~U32.show, {})", PAIR: "show_pair({})",
         MAYBE: "Maybe.show(~&2, ~U32, ~U32.show, {})", RECORD: "show_record({})"}

PRELUDE = """import Base

type Record is Data:
  Record{number: U32, text: String, list: List<&2, U32>}

def show_pair(p: U32 & String) -> String:
  (n, s) = p
  U32.show(n) ++ "," ++ s

def show_record(r: Record) -> String:
  Record{n, s, xs} = r
  U32.show(n) ++ "," ++ s ++ "," ++ List.show(~&2, ~U32, ~U32.show, xs)

def at(a: Array<U32>, i: U32) -> U32:
  (_, x) = a[i]
  x

def swap(a: Array<U32>, i: U32, x: U32) -> Array<U32>:
  Array.set.fin(U32, Array.swap(U32, a, i, x))

def twin(a: Array<U32>, w: U32) -> Array<U32>:
  match Array.size(U32, a):
    case Tuple{a, 8}: a
    case Tuple{a, _}:
      (a, b) = Array.clone(U32, a)
      ANode{a, plus(b, w)}

def plus(a: Array<U32>, +w: U32) -> Array<U32>:
  match a:
    case ALeaf{x}: ALeaf{(x + w : U32)}
    case ANode{l, r}:
      l r = plus(l, w) plus(r, w)
      ANode{l, r}

def half(a: Array<U32>, right: Bool) -> Array<U32>:
  match a right:
    case ANode{_, r} True{}: r
    case ANode{l, _} False{}: l
    case a _: a

def sum(a: Array<U32>) -> U32:
  match a:
    case ALeaf{x}: x
    case ANode{l, r}: (sum(l) + sum(r) : U32)

"""


def hashed(xs):
    number = 7
    for x in xs:
        number = (number * 31 + x) % WORD
    return number


def written(a, i, x):
    return [x if k == i % len(a) else old for k, old in enumerate(a)]


# A type, the text and the meaning of a form of it, and the types of its operands.
FORMS = [
    (U32, "({} + {} : U32)", lambda a, b: (a + b) % WORD, U32, U32),
    (U32, "({} - {} : U32)", lambda a, b: (a - b) % WORD, U32, U32),
    (U32, "({} * {} : U32)", lambda a, b: a * b % WORD, U32, U32),
    (U32, "({} / {} : U32)", lambda a, b: a // b if b else 0, U32, U32),
    (U32, "({} % {} : U32)", lambda a, b: a % b if b else a, U32, U32),
    (U32, "({} .&. {} : U32)", lambda a, b: a & b, U32, U32),
    (U32, "({} .^. {} : U32)", lambda a, b: a ^ b, U32, U32),
    (U32, "({} << {} : U32)", lambda a, n: (a << n) % WORD, U32, NAT),
    (U32, "Pair.fst(U32, String, {})", lambda p: p[0], PAIR),
    (U32, "List.foldl(~&2, ~U32, ~U32, ~(h => x => (h * 31 + x : U32)), {}, 7)", hashed, LIST),
    (U32, "at({}, {})", lambda a, i: a[i % len(a)], ARRAY, U32),
    (U32, "sum({})", lambda a: sum(a) % WORD, ARRAY),
    (U32, "U32.from_nat(String.length({}))", len, STRING),
    (NAT, "({} - {} : Nat)", lambda a, b: max(0, a - b), NAT, NAT),
    (NAT, "Nat.min(9n, 2n+{})", lambda a: min(9, a + 2), NAT),
    (NAT, "Nat.min(List.length(&2, U32, {}), 9n)", lambda xs: min(len(xs), 9), LIST),
    (BOOL, "({} < {} : U32)", lambda a, b: a < b, U32, U32),
    (BOOL, "({} && {} : Bool)", lambda a, b: a and b, BOOL, BOOL),
    (BOOL, "Bool.not({})", lambda a: not a, BOOL),
    (BOOL, "String.eq({}, {})", lambda a, b: a == b, STRING, STRING),
    (STRING, "String.take({} ++ {}, 40n)", lambda a, b: (a + b)[:40], STRING, STRING),
    (STRING, "String.drop({}, {})", lambda s, n: s[n:], STRING, NAT),
    (STRING, "SCon{{'é', {}}}", lambda s: "é" + s, STRING),
    (STRING, "U32.show({})", str, U32),
    (LIST, "List.take(&2, U32, {} <> {}, 9n)", lambda x, xs: [x, *xs][:9], U32, LIST),
    (LIST, "List.reverse(&2, U32, {})", lambda xs: xs[::-1], LIST),
    (LIST, "List.map(~U32, ~U32, ~(x => (x * 3 + 1 : U32)), {})",
     lambda xs: [(x * 3 + 1) % WORD for x in xs], LIST),
    (LIST, "Array.to_list(~U32, {})", list, ARRAY),
    (PAIR, "({}, {})", lambda a, s: (a, s), U32, STRING),
    (MAYBE, "Some{{{}}}", lambda a: (a,), U32),
    (MAYBE, "None{{}}", lambda: None),
    (RECORD, "Record{{{}, {}, {}}}", lambda *fields: fields, U32, STRING, LIST),
    (ARRAY, "[{} : U32*2n]", lambda x: [x, x], U32),
    (ARRAY, "({}[{}] <- {})", written, ARRAY, U32, U32),
    (ARRAY, "swap({}, {}, {})", written, ARRAY, U32, U32),
    (ARRAY, "twin({}, {})", lambda a, w: a if len(a) == 8 else a + [(x + w) % WORD for x in a],
     ARRAY, U32),
    (ARRAY, "half({}, {})", lambda a, right: a if len(a) == 1 else
     a[len(a) // 2:] if right else a[:len(a) // 2], ARRAY, BOOL),
    (ARRAY, "Array.map(~U32, ~U32, ~(x => (x + 5 : U32)), {})",
     lambda a: [(x + 5) % WORD for x in a], ARRAY),
]

# A type, the cases of a match on it as texts, the names in each with their types, and which
# case a value takes, with what it binds.
MATCHES = [
    (BOOL, ["True{{}}", "_"], [[], []], lambda v: (0 if v else 1, [])),
    (NAT, ["0n", "3n", "1n++{}"], [[], [], [NAT]],
     lambda v: (0, []) if v == 0 else (1, []) if v == 3 else (2, [v - 1])),
    (LIST, ["[]", "[+{}]", "+{} <> +{}"], [[], [U32], [U32, LIST]],
     lambda v: (min(len(v), 2), v if len(v) < 2 else [v[0], v[1:]])),
    (MAYBE, ["None{{}}", "Some{{+{}}}"], [[], [U32]],
     lambda v: (0, []) if v is None else (1, list(v))),
    (PAIR, ['(+{}, "")', "(+{}, +{})"], [[U32], [U32, STRING]],
     lambda v: (0, [v[0]]) if v[1] == "" else (1, list(v))),
    (RECORD, ["Record{{0, +{}, _}}", "Record{{+{}, _, +{}}}"], [[STRING], [U32, LIST]],
     lambda v: (0, [v[1]]) if v[0] == 0 else (1, [v[0], v[2]])),
    (ARRAY, ["ALeaf{{+{}}}", "ANode{{ALeaf{{+{}}}, _}}", "_"], [[U32], [U32], []],
     lambda v: (min(len(v), 4) // 2, v[:1] if len(v) < 4 else [])),
]


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.defs = []  # (name, parameters, result, meaning)

    def fresh(self):
        self.names += 1
        return f"v{self.names}"

    def literal(self, kind):
        r = self.random
        if kind == U32:
            value = r.choice([0, 1, 7, WORD - 1, r.randrange(WORD)])
            return str(value), lambda names: value
        if kind == NAT:
            value = r.randrange(5)
            return f"{value}n", lambda names: value
        if kind == BOOL:
            value = r.random() < 0.5
            return f"{value}{{}}", lambda names: value
        if kind == STRING:
            value = r.choice(["", "a", "bc", "é€", "x y"])
            return f'"{value}"', lambda names: value
        if kind == LIST:
            value = [r.randrange(9) for _ in range(r.randrange(4))]
            return str(value), lambda names: value
        return self.form(kind, {}, 0)

    def form(self, kind, scope, depth):
        # Where it is to be small, forms without operands of their own type.
        forms = [f for f in FORMS if f[0] == kind and (depth > 0 or kind not in f[3:])]
        _, text, meaning, *kinds = self.random.choice(forms)
        made = [self.expression(k, scope, depth - 1) for k in kinds]
        return (text.format(*(m[0] for m in made)),
                lambda names: meaning(*[m[1](names) for m in made]))

    def expression(self, kind, scope, depth):
        known = [name for name, its in scope.items() if its == kind]
        if depth <= 0 or self.random.random() < 0.1:
            if known and self.random.random() < 0.8:
                name = self.random.choice(known)
                return name, lambda names: names[name]
            return self.literal(kind)
        ways = [self.form] * 4 + [self.call, self.let, self.match, self.function, self.parallel]
        return self.random.choice(ways)(kind, scope, depth)

    def call(self, kind, scope, depth):
        defs = [d for d in self.defs if d[2] == kind]
        if not defs:
            return self.form(kind, scope, depth)
        name, parameters, _, meaning = self.random.choice(defs)
        made = [self.expression(k, scope, depth - 1) for k in parameters]
        return (f"{name}({', '.join(m[0] for m in made)})",
                lambda names: meaning([m[1](names) for m in made]))

    def let(self, kind, scope, depth):
        of, name = self.random.choice(list(SHOWN)), self.fresh()
        value = self.expression(of, scope, depth - 1)
        rest = self.expression(kind, {**scope, name: of}, depth - 1)
        return (f"(+{name} : {of} = {value[0]}; {rest[0]})",
                lambda names: rest[1]({**names, name: value[1](names)}))

    def parallel(self, kind, scope, depth):
        one, other = self.fresh(), self.fresh()
        values = [self.call(U32, scope, depth - 1) for _ in range(2)]
        rest = self.expression(kind, {**scope, one: U32, other: U32}, depth - 1)
        # As arguments of a call, so that the second is no call of the first.
        return (f"(+{one} +{other} = U32.inc({values[0][0]}) U32.inc({values[1][0]}); {rest[0]})",
                lambda names: rest[1]({**names, one: (values[0][1](names) + 1) % WORD,
                                       other: (values[1][1](names) + 1) % WORD}))

    def function(self, kind, scope, depth):
        function, name = self.fresh(), self.fresh()
        body = self.expression(kind, {**scope, name: U32}, depth - 1)
        argument = self.expression(U32, scope, depth - 1)
        return (f"({function} = (+{name} => {body[0]}); {function}({argument[0]}))",
                lambda names: body[1]({**names, name: argument[1](names)}))

    def match(self, kind, scope, depth):
        of, patterns, kinds, choose = self.random.choice(MATCHES)
        subject = self.expression(of, scope, depth - 1)
        bound = [[self.fresh() for _ in each] for each in kinds]
        bodies = [self.expression(kind, {**scope, **dict(zip(names, each))}, depth - 1)
                  for names, each in zip(bound, kinds)]
        rows = [f"case {p.format(*names)}: {body[0]}"
                for p, names, body in zip(patterns, bound, bodies)]

        def meaning(names):
            row, values = choose(subject[1](names))
            return bodies[row][1]({**names, **dict(zip(bound[row], values))})
        return f"(match {subject[0]}: {' '.join(rows)})", meaning

    def program(self):
        text, calls, results = PRELUDE, "", ""
        for number in range(DEFS):
            kind = self.random.choice(list(SHOWN))
            scope = {f"p{k}": self.random.choice(list(SHOWN))
                     for k in range(self.random.randrange(4))}
            body, meaning = self.expression(kind, scope, DEPTH)
            parameters = ", ".join(f"+{name}: {its}" for name, its in scope.items())
            text += f"def f{number}({parameters}) -> {kind}:\n  {body}\n\n"
            self.defs.append((f"f{number}", list(scope.values()), kind,
                              lambda values, scope=scope, meaning=meaning:
                              meaning(dict(zip(scope, values)))))
            made = [self.literal(k) for k in scope.values()]
            call = f"f{number}({', '.join(m[0] for m in made)})"
            calls += f"    IO.print({SHOWN[kind].format(call)})\n"
            results += f"#|{shown(kind, self.defs[-1][3]([m[1]({}) for m in made]))}\n"
        return f"{text}def main() -> IO(Unit):\n  do IO<Unit>:\n{calls}\n{results}"


def shown(kind, value):
    if kind == PAIR:
        return f"{value[0]},{value[1]}"
    if kind == RECORD:
        return f"{value[0]},{value[1]},{value[2]}"
    if kind == MAYBE:
        return "None" if value is None else f"Some({value[0]})"
    return str(value)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: random_programs_test.py PATH-OF-CLEAVE SEED...")
    cleave, good = os.path.abspath(sys.argv[1]), True
    for seed in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, f"seed_{seed}.bend")
            text = Writer(int(seed)).program()
            with open(file, "w", encoding="utf-8") as program:
                program.write(text)
            if not agrees(cleave, file, ["--check", "--check --threads 2"]):
                print(f"seed {seed}:\n{text}")
                good = False
    return not good


if __name__ == "__main__":
    sys.exit(main())
