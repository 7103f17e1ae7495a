"""Which language texts are in, told by their commonest words."""

import re
from collections import Counter
from collections.abc import Iterable

_ENGLISH = """
a an and are as at be been but by can could did do does for from had has have he her his how i if
in into is it its me my no nor not of on or our s she should so t that the their them then there
these they this those to was we were what when where which while who whom why will with would you
your
"""
_GERMAN = """
aber als am an auch auf aus bei bin bis das dass dem den der des die dies doch durch ein eine einem
einen einer eines er es für hat ich ihr im in ist kann man mehr mit nach nicht noch nur oder ohne
schon sein sich sie sind so über um und uns unter vom von vor war was wenn wer wie wir wird zu zum
zur
"""
_FRENCH = """
a au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui mais me même
mes moi mon ne nos notre nous on ou où par pas plus pour qu que qui sa sans se ses si son sont sur
ta te tes ton tu un une vos votre vous à été être
"""
_SPANISH = """
a al algo como con contra de del desde donde e el ella ellos en entre era es esta este esto están
ha hasta hay la las le lo los me mi muy más nada ni no nos o para pero por porque que quien se ser
si sin sobre su sus también te tiene un una uno y ya yo él
"""
_ITALIAN = """
a ad al alla alle anche che chi ci come con cui da dal dalla degli dei del della delle di e ed era
essere gli ha ho i il in io la le lo loro ma mi mia nel nella non o per perché più quella quello
questo se si sono su sua sul sulla suo tra tu un una uno è
"""
_PORTUGUESE = """
a ao aos as com como da das de do dos e ela ele em entre era essa este está eu foi há isso já mais
mas me mesmo meu muito na nas no nos não o os ou para pela pelo por porque quando que quem se sem
ser seu são só também te tem um uma você à é
"""
_DUTCH = """
aan al als bij dan dat de der deze die dit door een en er geen had heb heeft het hij hoe hun ik in
is je kan maar me meer met mijn naar niet nog nu of om onder ook op over te tot uit van veel voor
waar was wat we werd wie wij wordt ze zich zij zijn zo
"""
_SWEDISH = """
alla att av blev bli där de dem den denna det detta dig din du efter eller en ett från för ha hade
han har hon hur här i inte jag kan man med men mig min mot mycket någon när och om oss på sig sin
ska som så till under upp ut vad var vi vid vill är över
"""
_NORWEGIAN = """
alle at av bare ble da de den denne der det dette du eller en er et etter for fra ha hadde han har
hun hva hvem hvis hvor i ikke ja jeg kan man med meg men min mot mye nå når og om opp oss på seg
skal som til under ut var ved vi vil være
"""
_DANISH = """
af alle at blev bliver da de dem den denne der det dette dig din du efter eller en end er et for
fra ha hans har havde hun hvad hvem hvis hvor i ikke jeg kan man med meget men mig min mod nogle nu
når og om op os over på sig sin skal som til under var ved vi vil
"""
_FINNISH = """
ei eivät ja jos joka jotka kanssa kuin kun mikä minä missä mitä mukaan mutta myös ne niin nämä olen
oli olla on ovat se sekä sen siellä siitä sitä tai tämä että vain voi
"""
_TURKISH = """
acaba ama ancak bazı ben bir biz bu çok çünkü da daha de en gibi hem her hiç için ile ise kadar ki
mi mı mu ne neden o olan olarak sonra şu var ve veya ya
"""
_RUSSIAN = """
а без был была были было быть в вам вас весь во вот все всё вы где да для до его ее если есть еще
же за и из или им их к как когда кто ли мне мы на над не нет ни но ну о об он она они оно от по
под при с со так такой то только ты у уже что чтобы эта эти это я
"""

STOP_WORDS = {
    "english": frozenset(_ENGLISH.split()),
    "german": frozenset(_GERMAN.split()),
    "french": frozenset(_FRENCH.split()),
    "spanish": frozenset(_SPANISH.split()),
    "italian": frozenset(_ITALIAN.split()),
    "portuguese": frozenset(_PORTUGUESE.split()),
    "dutch": frozenset(_DUTCH.split()),
    "swedish": frozenset(_SWEDISH.split()),
    "norwegian": frozenset(_NORWEGIAN.split()),
    "danish": frozenset(_DANISH.split()),
    "finnish": frozenset(_FINNISH.split()),
    "turkish": frozenset(_TURKISH.split()),
    "russian": frozenset(_RUSSIAN.split()),
}


FALLBACK = "english"
LANGUAGES = (
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "norwegian",
    "portuguese",
    "romanian",
    "spanish",
    "swedish",
    "turkish",
)
"""Languages in the Latin script that have a stemmer; other scripts tell their own."""

_MOST_WORDS = 20_000
_LEAST_SHARE = 0.06
_CLEARLY = 1.25
_WORD = re.compile(r"[^\W\d_]+")


def detect_language(texts: Iterable[str]) -> str:
    """Return the language that most of some texts are in.

    Counts function words. Texts without enough of them (titles of products, codes)
    say nothing.

    Args:
        texts: some of the documents, a few dozen are enough.

    Returns:
        A name of :data:`LANGUAGES`; ``english`` where the texts do not tell.
    """
    words: Counter[str] = Counter()
    for text in texts:
        words.update(word.casefold() for word in _WORD.findall(text[:_MOST_WORDS]))
        if words.total() > _MOST_WORDS:
            break
    total = words.total()
    latin = [name for name in STOP_WORDS if name in LANGUAGES]
    counts = {name: sum(words[word] for word in STOP_WORDS[name]) for name in latin}
    first, second, *_ = sorted(counts, key=lambda name: -counts[name])
    is_telling = counts[first] > _LEAST_SHARE * total and (
        counts[first] >= _CLEARLY * counts[second]
    )
    return first if is_telling else FALLBACK
