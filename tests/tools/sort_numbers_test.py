# sort_numbers_test.py -- `cleave sort` of binary numbers, against sorted().
import array
import math
import struct

import tool


class SortNumbers(tool.Case):
    def compare(self, kind, code, values, key=None):
        self.write("in", array.array(code, values).tobytes())
        expected = array.array(code, sorted(values, key=key)).tobytes()
        for threads in ("1", "2"):
            self.succeed("sort", "--type", kind, "--threads", threads, "in", "-o", "out")
            self.assertTrue(self.read("out") == expected, f"{kind} on {threads} threads")

    def compare_sizes(self, kind, code, value):
        # Around the sizes at which leaves and parts of merges are made.
        for size in (0, 1, 2, 3, 17, 1000, (1 << 16) - 1, 1 << 16, (1 << 17) + 3):
            with self.subTest(size=size):
                self.compare(kind, code, [value() for _ in range(size)])

    def test_u32_of_all_sizes(self):
        self.compare_sizes("u32", "I", lambda: self.random.getrandbits(32))

    def test_u64_of_all_sizes(self):
        self.compare_sizes("u64", "Q", lambda: self.random.getrandbits(64))

    def test_few_different_values(self):
        for bits in (0, 1, 3):
            self.compare("u32", "I", [self.random.getrandbits(bits + 1) for _ in range(150000)])
            self.compare("u64", "Q", [self.random.getrandbits(bits + 1) for _ in range(150000)])

    def test_the_ends_of_the_range(self):
        self.compare("u32", "I", [2**32 - 1, 0, 2**31, 2**31 - 1, 0, 2**32 - 1])
        self.compare("u64", "Q", [2**64 - 1, 0, 2**63, 2**63 - 1, 0, 2**64 - 1])

    def test_sorted_and_reversed(self):
        self.compare("u32", "I", list(range(200000)))
        self.compare("u32", "I", list(range(200000, 0, -1)))

    def test_halves_that_do_not_mix(self):
        self.compare("u32", "I", list(range(100000, 200000)) + list(range(100000)))

    def test_doubles_without_nan(self):
        values = [self.random.uniform(-1e9, 1e9) for _ in range(150000)]
        values += [math.inf, -math.inf, 5e-324, -5e-324, 1.7976931348623157e308, 0.0]
        self.compare("f64", "d", values)

    def test_minus_zero_comes_before_zero(self):
        values = [0.0, -0.0, 1.0, -1.0] * 20000
        self.compare("f64", "d", values, key=lambda x: (x, math.copysign(1, x)))

    def test_any_bits_are_doubles_and_nans_come_last(self):
        nan = 0x7FF8000000000000
        bits = [self.random.getrandbits(64) for _ in range(100000)]
        # Nans of both signs, quiet and signalling, with different payloads.
        bits += [nan | self.random.getrandbits(51) for _ in range(20000)]
        bits += [nan | 1 << 63, nan - 1, (nan - 1) | 1 << 63, 2**64 - 1, 0x7FF0000000000001]
        bits += [0x7FF0000000000000, 0xFFF0000000000000, 0, 1 << 63] * 3
        self.random.shuffle(bits)
        self.write("in", array.array("Q", bits).tobytes())
        for threads in ("1", "2"):
            self.succeed("sort", "--type", "f64", "--threads", threads, "in", "-o", "out")
            data = self.read("out")
            got = array.array("Q", data)
            self.assertEqual(sorted(got), sorted(bits), "a bit pattern was lost")
            numbers = struct.unpack(f"={len(bits)}d", data)
            first_nan = next(i for i, x in enumerate(numbers) if math.isnan(x))
            self.assertTrue(all(math.isnan(x) for x in numbers[first_nan:]))
            order = [(x, math.copysign(1, x)) for x in numbers[:first_nan]]
            self.assertEqual(order, sorted(order))

    def test_files_are_sorted_together(self):
        self.write("one", struct.pack("=3I", 5, 1, 9))
        self.write("none", b"")
        self.write("two", struct.pack("=2I", 7, 0))
        done = self.succeed("sort", "--type", "u32", "one", "none", "two", "-",
                            input=struct.pack("=I", 3))
        self.assertEqual(done.stdout, struct.pack("=6I", 0, 1, 3, 5, 7, 9))

    def test_a_pipe_of_unknown_size(self):
        values = array.array("Q", [self.random.getrandbits(64) for _ in range(300000)])
        done = self.succeed("sort", "--type", "u64", "-", input=values.tobytes())
        self.assertTrue(done.stdout == array.array("Q", sorted(values)).tobytes())

    def test_a_file_larger_than_one_read(self):
        values = array.array("I", self.random.randbytes(20 << 20))
        self.write("in", values.tobytes())
        self.succeed("sort", "--type", "u32", "in", "-o", "out")
        self.assertTrue(self.read("out") == array.array("I", sorted(values)).tobytes())

    def test_joins_copy_nothing(self):
        self.write("in", self.random.randbytes(8 << 20))
        for kind, size in (("u32", 4), ("u64", 8), ("f64", 8)):
            seen = self.stats("sort", "--type", kind, "in", "-o", "out")
            self.assertEqual(seen["type"], kind)
            self.assertEqual(seen["elements"], (8 << 20) // size)
            self.assertEqual(seen["bytes_copied_by_joins"], 0)
            self.assertEqual(seen["joins"] > 0, seen["threads"] > 1)


if __name__ == "__main__":
    tool.main()
