"""How common a word is elsewhere, so that what is special here can be told from plain English.

The words are in order of how often they occur in general and technical English, one form of each,
without function words. Beside them stand the words of the trade: they name a kind of thing
(a server, an endpoint), never the one that is meant.

Source: Zipf 1949, Human Behavior and the Principle of Least Effort; Mandelbrot's form of the law.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, Protocol, cast

import Stemmer

from wellworn.engines.retrieval.text import STOP_WORDS

_ENGLISH: Final = """
    use not file text all more other also support including years time one family million make city
    building bug value new function no provide game report first work package return like type
    system class way only list set changes line share name get any see object may program following
    activities results number code important optional two such need question content under project
    install data default help made version different called out during most role found energy
    create implemented category library want company evidence through example operating people each
    take notes over sustainable social positive argument expression start development string const
    while media state method reduce documentation end release exception after test should increase
    same user source et now al additional rate great go relationships answer compiler command
    interest run find related net management module painting those members information between
    initiatives home containing add friends current available connections both well before plan
    effect required last designed generated try significant due allowed future look passed love
    here many community read total image theme costs right feature know given investment sequence
    complete group record based together playing error target issue really public raise day part
    directory section must levels point world without case give standard challenge close assistant
    amount local contribution down instance products museum process since details another message
    check show key every because price format keep known come much pointer promote open fair
    securities directly order compared common business things possible pay next path impact power
    month team recent reference lives history capital place high dependencies still health
    continued extensive feel second int three specified model improve assets output indicates back
    request self query discussed steps expected suggest specific events represented bytes
    experience performance instead credit enjoy several billion approximately even distribution
    original maintaining protect previous respectively period existing means variable own loss
    lower think character already federal certain similar materials detected limit small
    environment lead received response mode personal date purchase determined control signed
    something benefit remaining above separate complex goal financial always configuration signal
    good encourages faced item fixed green practices concentration stop against within market bill
    true around interactions applications enable adoption attributes collection jobs account
    percent writing store defined parameter cells statements say single server income turn trade
    able service negative field char finally handling national conditions emissions tools less
    match very built per individuals corporations either nature expense considered produced terms
    customers office table units execution location children pages main efficiency studies address
    thanks below binding life long sure cause removed top primarily progress apply move save input
    header offered consistent got encoding access bar transportation general block care
    communication books done affect country decrease present week script strong story become
    platform converted definitely four awesome range stay fun might major acceptance described
    believe law plant occurs cut break research args various author mentioned art involved form
    associated inspired higher bring size towards replaced elements across reason risk screen funds
    let clock population recommended trip full policy later failed asked selected large
    organizations space strategies timeout thousands components special thread ship link balance
    engine win put beginning stream usage observed ever old instructions integer binary until
    facility validation longer few particularly best watching join series center color charge idea
    constructs interface analysis consolidated upstream happened healthy stage python predecessor
    again agreement freedom least license please commitments corresponding memory established away
    women left player display shown never estimated lot context correct missing factors updated
    real patterns exhibits tell money written behavior opportunity contract amazing big whether
    track port peace core deal actually road gun early conversation pm obtained simple purpose
    moment successful combined learn spend consensus frame terminal once prior nearly free kind
    talk march buffer identified head along client measure forward send child won via stack further
    constant symbol today walk segment automatically published am serves tree exact post flag came
    ago meet instruments equal appreciate acquired property host wait upon copy subject profiles
    visit sys hold site said low cycle average throughout mapping matters info backend multiple
    drug lack alternative profit search window act comparison global electricity carrying otherwise
    beautiful appears problem earnings payments etc secondary exchange five meaningful supplied
    normal clones patches better clean taken regulation off exploring entry leave war workers throw
    resources seen agreed ten took view background third static forces modify foreign offset print
    understand utilities maturity unique sent dictionary recognized rules filename nights walls
    education stand body bonds housing efforts aims round trust architecture gcc derived manual
    experimental environmental former aspects bit fact internal empty manufacturing arms six
    annotations potential regular assumed language hours action words translation extended began
    integration administration cannot cool military side essential paid water age wealthy index
    socket structure usually float mechanism decorator however anything attempt calculated ensure
    else necessary behind score transfer doesn dedicated told network according runtime remind
    outstanding career caught bound compatible preferred annual reached greater border adjusted
    archive went yet late conservation entered domain middle interpreter felt finished volume
    random zero draft root popular exercise entire itself log among hope elected young land rather
    predicted collaboration weight held everyone serialization pair callback food isn triggers
    recycled online proud sample choose technology clear park camping though gains partnerships
    half music capture little economy choice drawing anime parents weapons influence welcome
    proposed representation assigned card whose commercial partially outside introduced shot extra
    soon immediately political growth woman transformed industries light node minimum proceeds
    enhance reflect approach parsing latest focusing far reserved download island sister wrapped
    highlight conflict transactions tips concerns extracts economic ability flow borrowings became
    cultivate garden region nothing wheel evaluate infrastructure board sense hard safe seven yield
    count presence comments comprehensive car thought shape solution transition consumption session
    private warning computer mental avoid ratio pick snapshot treated critical strict website
    independent advanced restore competition article probably shell summary generic mailing guide
    portion course school intended disable hand situation excluding marked passion monitors engage
    claims phase missions prevent volunteer ignored compression quote announced principal famous
    crisis molecular approved agency repository cover proxy video setup panels quality temporary
    government enough regulatory load international leader song algorithm conclusion labeled
    operand partner expanded description restricted percentage cache human almost fit piece
    historic launched impressive pollution certificate heard overall password black exposure
    isolation decided equipment easy loop largest fire travel robust sufficient graph diet didn
    fourth sorted strengthen losing branch promise appropriate assembled identical folks picture
    meals alignments protocol haven auto voted eliminating raw plain news length status scheduled
    killed signature incorporated maximum often fully catch grant syntax explicitly everything
    worth unlike wish accident basis database achieve wonder illustrated union district despite
    especially directors selling statistics although revealed favorite favorable software wasn pool
    explain trains column override subsequent filled demonstrated reduction literal decode chance
    qualified guarantees equivalent bottom deferred officially consequences minutes authentication
    consumer registers basic beyond older simply false front driven students frequently assess gave
    legal participated review negotiate skills debugging confirmed couple strength paper
    correlation wrote browser red repaired failure frequency decision properly width sometimes
    upper stronger upgrade bad footprint room man newline numeric therefore parser resolve feet
    snacks short kept lock machines metadata quickly reproductive distance air worst degree minimal
    mutation cooking bridges agents digits plus growing modification blank stability summer speak
    demand hit absolute expires inside analyzed institutions extremely unusual factories chunk
    diversity wrapper optimize prefix tasks area ready easily extent competing modern render foo
    prepared symlinks abstract whole font capacity km past stained met min exit dark chat minor
    adapted declared domestic anymore web lost fulfilling attack permits physical delay inventory
    satisfied docs rejected beat seek heart speed yourself tar fight fall nuclear caps awareness
    attached thus unless delete rest blog nice broken themselves remember behaviour intense fast
    cumulative non oil relies glass repeatedly edition queue logic earlier letter church prompt
    white fewer blue copyright touch reproduce mix recursive responded sold virtual buy biggest
    trace none row flexible submit constraints myself surrounding retirement regression pull device
    drive realize vary routine examined variance floor exposed constructor saw latter girl array
    accumulated notice snippet poor callable concurrency corner relevant gone variations rare
    threat lowest suitable nearby likelihood fundamental protest violates precision dynamic street
    primary pursue graphics omitted capabilities helper inclusivity faster channel classified
    suffered religious hundred holders eyes accompanying seem mind frustration newer typically
    mother reuse smaller coverage denied shift secret icon veterans spread style tone invoked hook
    damaged spent machinery variety coordinates knowledge led var surface inspect proved dataset
    permanent club thrown traditional split safety hardware title evening preserved whatever
    treatments contacts apparently remote himself tail drink movement baseline reliable synchronous
    wrong template morning app atmosphere someone party implications difficult allocated
    recognition retained classic brought regarding south slow grade rock suite refresh arbitrary
    contrast contributors goes wide cooperating perfect oldest framework distinct wild substantial
    rapid ball chain enterprise permission owner duplicate builtin super alias native legacy north
    medical click spot filters external scan push alliance dropped nor destroyed candidates
    composed newly summarized alone symptom seed deliver division inherited privacy consideration
    google leadership merge sector verify pack vehicles outcome heavily forget eight bought
    sensitivity formal east func hints unstable quite acknowledges hash ordinary linear labor
    defense obvious daughter encounter reset huge scheme migration junk eg navigation drove preview
    unix grid route ourselves reverse sheet gathered destination stdout expert fell anyone tend
    ancient boundaries interval incomplete layer conducted plate convention depth gift memorable
    lit citing taught spec insert deploy maybe skip belong fallback altered de chosen emit
    penalties composite desired overcome police editor discover fellow gear pressure escape
    universal box switch hidden staff leak fear storage implied worldwide tag recovery leverage
    unknown concept boolean deprecated freely affiliates ran sync rise swaps scale grew caller
    alpha unexpected daily truly investigation excellent exceed quantities peer fragments
    simulation trouble narrow delivery doubt theoretical death characteristics crosses figure
    laying suffix professional menu fifth sum maintenance specimens manner employed slightly
    semantic west bonus appeal larger divided upload br novel vertical discontinued provision
    whereas pad expansion id ok broad inference advantage pace serious mask unlocked pure cat demo
    fine creation realistic parallel foundation vulnerable confidence strategic substitution scope
    surviving scientific foot visual backup bears mad undefined retrieved persistent calendar
    drivers nine wife priority whitespace anywhere marker stable tackle heavy lies backwards daemon
    experienced incremental comprised procedures libc unrestricted mobile speech arrows config
    principle console surprises impossible double unable blood rebuild endorsed complement anyway
    talent race subdirectories idealized assure forums techniques intersection email convenience
    gzip alert stuff preceding interiors runner greatest worries init detector alive rich intention
    fresh cable feedback mirror overridden sh sponsored automated vice lineages feed manipulation
    pen readable fraction easier remainder aid pretty rough straight tied filesystem enforcement
    illegal clusters unpack unsigned snaps invading difficulty vast variants timezone unprecedented
    kernel exclusive eventually supposed metal strongest fold winter unchanged burden highest
    personnel concatenation apart writer resolution gap ms mine relief vital ice neither smallest
    ancestors deviation tracker implicit shutdown central conforming studio renamed url anticipated
    horizontal outline catalog dispatched cal whenever suppression cd canonical born occasional
    portable heap beneficial slowly overview duration accurate northern poetry pipes discarded
    gradually classification www readers deep revision aren door sexual prospects inviting
    recovered counter chart layout disk introspection couldn mount intimate ultimately usable
    convince arising stdlib temporarily trial forth crash lookup slope somewhere submodule western
    prioritize disease solely handler fetch hides weak chose lifetime besides inactive ancestral
    bottleneck combat remarkable toolkit ease reordering consecutive overhead stats intriguing
    ongoing visible cp minus magic env pop vector fashion criteria stripped spanning assumptions
    county traffic density accelerate vision cookies silently crucial offline smart solid wind
    descendant battery introduction milestones lightweight encryption chase ceiling briefly patents
    notion predominantly yes accommodate payload twice ground compliance leap barely pathology
    strange ticket timer soft intermediate fork coast median occupied occurrence drawn edge
    presumably shallow magnitude folder explanation guidelines upcoming delta wood redirects
    truncated unspecified onto ingredients hanging concluded stdin dealt strive interruptions
    scratch stub dead sleep artifacts orientation technical mess smooth embedded reality unofficial
    guard stretch lib referenced multiplied mouse warrants adjacent guess threshold distinguish
    morphological localhost grace startup elapsed zone subset meant closure infinity scene height
    necessarily discrete perhaps eighth clearer proven notation anonymous exhausted membership
    somewhat incompatibility tight hence restart incorrect roadmap hat diagnosis hierarchy reusable
    unplanned preamble
    guest degraded disaster rotation traversal transmit transmission percentile packet passive
    outdated insufficient insecure forbidden unavailable unauthorized containerized caveat
    uppercase lowercase collector placeholder loader browse sidecar reload reconcile quorum
    shard replica scrape evict drain mismatch misconfigured orphaned stale failover unreachable
    unhealthy inconsistent overload pending stuck skew backoff excessive dangling leftover
    obsolete unused unsupported invalid malformed corrupted decrypted unverified unmounted
    detached partitioned replicated drifted tunnel unscheduled rotate purge watcher subscriber
    emitter handover flapping descriptor provisioner theirs ours mine yours
"""

_TRADE: Final = """
    access account addon address admin alert alias analytics anchor annotation api app appendix
    application architecture archive async audit auth authentication authorization automation
    backend backup balancer bare baseline benchmark binary blog bookmark boolean bot box branch
    breakdown broker browser bucket budget bug build cache callback catalog certificate
    changelog channel checklist cheatsheet ci class cleanup cli client cloud cluster codebase
    command commit compiler
    component concept config configuration connection connector console contact container contract
    contributing contributor conversion cookbook cookie cpu credential cron crontab dashboard data
    database dataset datasource date db deadline debug debugging decorator default demo dependency
    deploy deployment destination dev developer development diagram digest directory disk dns
    doc docs documentation domain download downtime driver edge email emergency endpoint engine
    engineering entity env environment error escalation example export exporter extension faq
    feature feed file filesystem filter firewall firmware flag folder footer form format formatter
    framework frontend func function funnel gateway generator getting glossary gpu group guide grab
    guideline handler hardware header healthcheck hello home homepage hook host hosting hostname
    hotkey howto http https iam icon id identifier image import inbound incident index infra
    infrastructure ingest ingestion inline inspector install installation installer instance
    integration interface internal internet intro introduction inventory invoice ip iteration
    job json key keyword lab label lambda landing language laptop latency launcher layout library
    license lifecycle limit limitation link list listener llm local localhost location log
    logging login logout loop machine mail mailbox main maintenance maintainer map markdown master
    memory menu message metadata method metric middleware migration misc model module monitor
    monitoring mount msg namespace network node notebook note notification object ops operation
    operations operator option outbound overview owner package page param parameter parser
    partner password path payload payment people permission phone pipeline plan platform playbook
    plugin pod policy pool port postmortem prefix prereq prerequisite preview primary print prod
    process product production profile project prompt protocol provider provisioning proxy
    publishing pull push query questionnaire queue quick quickstart quota readme record
    recovery reference referral registry release reminder remote repo repository request resource
    response restore retention retry role rollback rollout root route router routine rule runbook
    runner runtime sample sandbox schedule scheduler schema script sdk search secret section secure
    security server serverless service session setting settings setup shell signup site slo sla
    snapshot snippet software source spec specification sql ssh ssl stack staging standard
    standardization startup statement static status storage stream streaming subdomain subnet
    subscription suite support switch sync syntax system table tag target task
    team template tenant terminal test testing thread threshold throughput ticket time timeline
    timeout timestamp tip tls todo token tool toolbox tooling toolkit topology trace tracing traffic
    transcript transform transformation trigger troubleshooting tutorial type upgrade upload uptime
    uri url usage user username util utility validation validator vault vendor version video view
    visitor vm volume vpn vps vulnerability walkthrough warehouse warning webapp webhook website
    welcome wiki wildcard window wizard workaround worker workflow workload workshop workspace
    wrapper yaml
"""

# The law's two numbers, fitted to the counts behind the list; and what a word has that is not on
# it.
_SHARE: Final = 0.14
_SHIFT: Final = 24
_ELSEWHERE: Final = 5e-6
_TRADE_SHARE: Final = 1e-4
#: Long words with these ends say what is done or how things are; hardly any is a name.
_ABSTRACT_ENDS: Final = (
    *("ing", "ings", "tion", "tions", "ment", "ments", "ness", "ity", "ities", "ance", "ology"),
)
_SHORTEST_ABSTRACT: Final = 9
_MOST_STEMS_KEPT: Final = 65_536


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - the library's name


@lru_cache(maxsize=_MOST_STEMS_KEPT)
def stem(word: str) -> str:
    """Return the stem of a folded word."""
    return _stemming()(word)


def share(stemmed: str) -> float:
    """Return how much of other people's texts is this word, 0 < share < 1."""
    return _shares().get(stemmed, _ELSEWHERE)


@lru_cache(maxsize=_MOST_STEMS_KEPT)
def is_common(word: str) -> bool:
    """Tell whether a folded word is plain English or of the trade, and so no name by itself."""
    if word in STOP_WORDS or stem(word) in _shares():
        return True
    return len(word) >= _SHORTEST_ABSTRACT and word.endswith(_ABSTRACT_ENDS)


def is_trade(word: str) -> bool:
    """Tell whether a folded word says of which kind something is: `operations`, `server`."""
    return stem(word) in _trade()


@cache
def _trade() -> frozenset[str]:
    stemmed = _stemming()
    return frozenset(stemmed(word) for word in _TRADE.split())


@cache
def _shares() -> dict[str, float]:
    stemmed = _stemming()
    trade = dict.fromkeys(_trade(), _TRADE_SHARE)
    words = enumerate(_ENGLISH.split())
    return trade | {stemmed(word): _SHARE / (rank + _SHIFT) for rank, word in words}


def _stemming() -> Callable[[str], str]:
    # A stemmer keeps buffers between calls and must not be shared by threads; a new one costs 1 us.
    stemmer = cast("_Stemmer", Stemmer.Stemmer("english"))  # pyright: ignore[reportUnknownMemberType]
    return stemmer.stemWord
