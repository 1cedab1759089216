"""A strict reader of Prometheus' text format 0.0.4 and of OpenMetrics 1.0, with the rules that `promtool check metrics` has for names."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{(.*)\}})? ([^ ]+)\Z')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|\Z)')
VALUE = re.compile(r"[+-]Inf|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?\Z")
UNITS = ("milliseconds", "microseconds", "minutes", "hours", "kilobytes", "megabytes", "_ms", "_kb", "_mb", "percent")


def labels_of(text):
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, f"a wrong label in {text!r}"
        assert match.group(1) not in labels, f"a label twice in {text!r}"
        labels[match.group(1)] = match.group(2).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
        at = match.end()
    return labels


class Metrics:
    def __init__(self, text):
        assert text.endswith("\n")
        lines = text.split("\n")[:-1]
        self.is_open = lines[-1] == "# EOF"
        if self.is_open:
            lines.pop()
        self.kinds, self.samples, helped, current = {}, {}, set(), None
        for line in lines:
            if line.startswith("# HELP "):
                name, _, help = line[7:].partition(" ")
                assert name not in helped and help.strip(), f"no help, or twice: {line}"
                helped.add(name)
                current = name
            elif line.startswith("# TYPE "):
                name, kind = line[7:].split(" ")
                assert name == current and name not in self.kinds and kind in ("counter", "gauge", "histogram"), line
                self.kinds[name] = kind
                self._check_name(name, kind)
            else:
                self._take(line, current)
        assert helped == set(self.kinds)
        for name, kind in self.kinds.items():
            if kind == "histogram":
                self._check_histogram(name)

    def _check_name(self, name, kind):
        assert not any(name.endswith(unit) for unit in UNITS), f"{name}: use base units"
        assert ":" not in name and kind not in name
        if kind == "counter":
            assert name.endswith("_total") != self.is_open, name
        else:
            assert not name.endswith(("_total", "_count", "_sum", "_bucket")), name

    def _take(self, line, family):
        match = SAMPLE.match(line)
        assert match, f"no sample: {line!r}"
        name, labels, value = match.group(1), labels_of(match.group(2) or ""), match.group(3)
        assert VALUE.match(value), line
        kind = self.kinds[family]
        allowed = {"counter": [family + "_total" if self.is_open else family], "gauge": [family],
                   "histogram": [family + end for end in ("_bucket", "_sum", "_count")]}[kind]
        assert name in allowed, f"{name} stands in the family {family}"
        key = (name, tuple(sorted(labels.items())))
        assert key not in self.samples, f"twice: {line}"
        number = float(value.replace("Inf", "inf"))
        assert kind == "gauge" or number >= 0, line
        self.samples[key] = number

    def _check_histogram(self, name):
        groups = {}
        for (sample, labels), value in self.samples.items():
            if sample == name + "_bucket":
                rest = tuple(pair for pair in labels if pair[0] != "le")
                groups.setdefault(rest, []).append((float(dict(labels)["le"].replace("Inf", "inf")), value))
        for rest, buckets in groups.items():
            buckets.sort()
            assert buckets[-1][0] == float("inf") and buckets[-1][1] == self.samples[(name + "_count", rest)]
            counts = [count for _, count in buckets]
            assert counts == sorted(counts), f"{name}{rest}: buckets that shrink"
            assert (name + "_sum", rest) in self.samples

    def __call__(self, name, **labels):
        """The value of one sample; 0 where there is none."""
        assert any(name.startswith(kind) for kind in self.kinds), f"no family of {name}"
        return self.samples.get((name, tuple(sorted(labels.items()))), 0)
