r"""The table of attempts: what texts say that want to command the agent who reads them.

Each reason stands for one intention, so that a person who looks through the quarantine sees what to
look for. A line is one phrase, matched as whole words in lower case with hidden characters gone:
words in capitals stand for the vocabulary below, `…` for at most 60 characters of the same
sentence, all else is a regular expression whose quantifiers are bounded.

Source: `docs/security.md`; published collections of injection phrases.
"""

from __future__ import annotations

import re
from functools import cache

_EDGE = r"(?:(?<!\w)|(?!\w))"
_NAMED = re.compile(r"\b[A-Z]{3,12}\b")
_NEAR = r"[^.!?\n]{0,60}?"

_VOCABULARY = {
    "DROP": "ignore|disregard|forget|override|bypass|discard|neglect",
    "OLD": "previous|prior|earlier|above|preceding|existing|original|initial|your|the system",
    "RULES": "instructions?|prompts?|rules|guidelines?|directives?|guidance|orders|policies",
    "AGENT": "agents?|assistants?|(?:language )?models?|llms?|chatbots?|ais?|bots?",
    "SHOW": "print|reveal|repeat|show|display|output|leak|disclose|recite|dump|give me|tell me",
    "SEND": "send|post|upload|forward|e-?mail|transmit|exfiltrate|leak|copy|push|submit|append",
    "PRIVATE": "passwords?|credentials?|secrets?|tokens?|(?:api|private|ssh|signing) keys?|id_rsa"
    r"|environment variables|(?:conversation|chat) history|conversation|contents?|\.env|memories"
    "|system prompt|user's (?:data|last message|messages?|files)|invoices",
    "AWAY": r"https?://\S{1,80}|[\w.+-]{1,64}@[\w.-]{1,64}|webhook|every web request"
    "|this (?:address|url|server|e-?mail)|(?:a )?public (?:mirror|bucket|paste|gist)",
    "PROMPT": "(?:system|initial|hidden|original|secret) (?:prompt|instructions?|message)",
    "RISKY": "add|send|run|install|delete|execute|approve|merge|forward|upload|copy|disable"
    "|include|insert",
}

_PHRASES = {
    "overrides-instructions": r"""
        DROP … OLD … RULES
        DROP (?:safety|security|content|ethical|company) RULES
        (?:stop|cease|quit) (?:following|obeying|applying) … RULES
        RULES … (?:is|are|were) (?:now )?(?:void|null|revoked|cancelled|no longer (?:valid|binding))
        DROP all (?:of )?(?:the |your )?RULES(?: and| you| given|[.,;:!])
        DROP (?:everything|anything|all) … (?:above|before|so far|you were told)
        pretend … RULES … (?:not exist|gone|void)
        new (?:instructions?|task|orders?)\s{0,2}:
        RULES … (?:outranks?|supersedes?|takes? precedence over) … (?:user|system|developer)
        your (?:new|true|real|only) (?:task|goal|purpose|instructions?|objective|mission)
        you (?:follow|obey) only
        override … (?:safety filters?|safety rules|safeguards?|guardrails?)
        (?:ignorier|vergiss|missacht)\w{0,4} … (?:anweisung|vorgabe|regel|befehl)\w{0,3}
        (?:ignora|olvida|descarta)\w{0,2} … (?:instrucciones|reglas|istruzioni|instru\u00e7\u00f5es)
        (?:ignore|oublie)[zr]? … (?:instructions pr\u00e9c\u00e9dentes|consignes|r\u00e8gles)
        \w{0,9}(?:\u5ffd\u7565|\u65e0\u89c6)\w{0,20}\u6307[\u4ee4\u793a]\w{0,9}
        \u0438\u0433\u043d\u043e\u0440\u0438\u0440\w{0,5} … \u0438\u043d\u0441\u0442\u0440\w{0,9}
        \w{0,9}(?:\u6307\u793a|\u547d\u4ee4)\w{0,12}\u7121\u8996\w{0,9}
    """,
    "changes-role": r"""
        you are (?:now|no longer) (?:an?|the|dan|in (?:developer|god)|bound|free|restricted|limited)
        (?:act|behave|respond) as (?:dan|if you (?:had|have) no|an? (?:unrestricted|uncensored))
        AGENT (?:without|with no) (?:restrictions?|limits?|filters?|rules)
        (?:god|jailbreak|dan|unrestricted) mode (?:is )?(?:on|enabled|activated|now)
        you (?:have been|were|are) (?:upgraded|promoted|elevated|switched|unlocked)
        you (?:now )?have (?:root|admin(?:istrator)?|full|unrestricted) access
    """,
    "commands-the-reader": r"""
        (?:you|AGENT) must … (?:without asking|before answering|obey|comply|reveal|send|delete)
        (?:any|every|all) (?:ai )?AGENT (?:that |who )?(?:read|retriev|process)\w{0,4} th(?:is|ese)
        AGENT (?:shall|must|should) … their (?:credentials?|keys?|tokens?|context|prompts?|secrets?)
        (?:note to (?:the |all |any )?|(?:attention|dear|hello|hi|hey),? )(?:ai )?AGENT
        (?:you|and) (?:follow|obey|do) (?:whatever|everything) … (?:says?|writes?|asks?|tells?)
        (?:when|whenever|if|once) you (?:read|retrieve|see|recall|load|find) this
        (?:from now on|from this moment(?: on)?|going forward|henceforth),? you
        if (?:you are|you're) an? (?:ai|assistant|agent|language model|llm)
        (?:assistant|agent|claude|chatgpt|copilot), (?:please )?(?:RISKY|override|ignore|mark)
        copy (?:it|this|yourself) … (?:every|each|all) … (?:thought|memory|note|message)
        decode (?:this|the following) … (?:do|run|execute|follow|obey)
    """,
    "claims-authority": r"""
        as (?:the|an?|your) (?:administrator|admin|owner|developer) … i (?:authori[sz]e|order)
        i (?:am |hereby )?(?:order|command|instruct|authori[sz])(?:ing|e)? you to
        user has (?:already )?(?:approved|authori[sz]ed|confirmed|allowed) … (?:every|all|any)
        (?:safety|security|content) (?:policy|policies|filters?) … (?:lifted|suspended|waived)
        user now (?:says|wants|asks|demands)
        mark (?:this|me) (?:contributor|author|owner|agent|thought|note)s? as (?:trusted|verified)
    """,
    "asks-for-the-prompt": r"""
        SHOW … (?:your|the) PROMPT
        what (?:is|are|was|were) your PROMPT
        what were you told (?:before|at|in|by)
        repeat (?:the (?:text|words)|everything) above
        affiche[zr]? … prompt
        \w{0,9}(?:\u8f93\u51fa|\u663e\u793a)\w{0,9}\u63d0\u793a\u8bcd
    """,
    "sends-data-away": r"""
        SEND … PRIVATE … AWAY
        SEND … ~/\.(?:ssh|aws|gnupg|config|netrc)
        (?:list|SHOW) … (?:api keys?|passwords?|credentials?|secrets?) … you (?:can|have|know|hold)
        (?:reveal|show|print) … other tenants?\W
        (?:curl|wget) [^\n]{0,120}?(?:@~?/|\$\(|<\s?~?/)\w{0,20}
    """,
    "carries-data-in-a-link": r"""
        https?://[^\s)"']{1,200}[?&][\w-]{1,32}=\$?\{\{?\w{0,32}
        https?://[^\s)"']{1,200}[?&][\w-]{1,32}=[<\[](?:\w{1,20}[ _-]){0,2}(?:key|data|email)
        https?://[^\s)"']{1,200}[?&][\w-]{1,32}=[<\[](?:\w{1,20}[ _-]){0,2}(?:message|prompt|secret)
        !\[[^\]\n]{0,80}\]\(https?://[^\s)]{1,200}[?&](?:data|q|d|payload|c|m|msg|s)
    """,
    "hides-from-the-user": r"""
        (?:do not|don't|never|without) (?:tell|mention|inform|notify)(?:ing)? … (?:user|human)s?
        (?:do not|don't|never) (?:tell|inform|alert|notify) (?:anyone|anybody)
        without (?:checking|asking|consulting|confirming) (?:with )?(?:the |any )?(?:user|human)s?
        (?:quietly|silently|secretly|covertly) (?:RISKY)
        keep this (?:secret|hidden|from the user)
    """,
    "standing-order": r"""
        (?:you|agents|assistants) (?:should|must) (?:always|only) (?:recommend|say|answer|claim)
        always (?:say|answer|claim) that
        if (?:the user|users|someone|anyone) asks? … (?:always|you must|say that|claim)
        treat (?:every|all|any|each) … as (?:passed|trusted|approved|safe)
        (?:reply|respond|answer) only with
    """,
    "runs-commands": r"""
        (?:curl|wget) [^|\n]{0,160}\|\s{0,3}(?:sudo )?(?:ba|z)?sh
        rm -rf (?:~|/)
        (?:execute|run) (?:shell )?commands? without (?:asking|approval|confirmation)
        (?:drop|delete|wipe) (?:the|all|every) … and (?:confirm|reply|answer|say)
        (?:only right answer|right thing) is to (?:RISKY)
    """,
    "imitates-a-role": r"""
        #{1,6}\s{0,2}(?:system|instruction|assistant|human)\s?:\s
        system(?: message| notice| note)?\s?:\s … AGENT (?:must|shall|should|are|will)
        </?(?:system|system-reminder|user|assistant|tool_result|function_results|developer)>
        </?wellworn-memory
        end of (?:the )?(?:retrieved )?(?:memory|context|memories|document|quotes?)\s{0,2}[.:\]-]
    """,
}


def _pattern(phrases: str) -> re.Pattern[str]:
    """Return one pattern for all lines, none of whose words begins or ends inside a longer word."""
    lines = (line.strip() for line in phrases.strip().splitlines())
    anyone = "|".join(line.replace(" … ", _EDGE + _NEAR + _EDGE) for line in lines if line)
    spelled = _NAMED.sub(lambda name: f"(?:{_VOCABULARY[name[0]]})", anyone)
    return re.compile(f"{_EDGE}(?:{spelled}){_EDGE}")


# Made when first needed: that takes a quarter of a second, and many servers never need it.
@cache
def any_attempt() -> re.Pattern[str]:
    """Return one pattern for all phrases: most texts hold none, and one pass says so."""
    return _pattern("\n".join(_PHRASES.values()))


@cache
def attempts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each reason with its pattern."""
    return tuple((reason, _pattern(phrases)) for reason, phrases in _PHRASES.items())
