/** Names that contain a banned word, and why they stay. */
export const NAMES: readonly (readonly [pattern: string, reason: string])[] = [
  ['(?:fabric-agent|run, doctor or) enrol', 'the command is called so; installed agents and scripts run it'],
  ['"fabric" or "nobody"', 'the Unix user nobody'],
  ['as sums(?=\\s+from conversations\\b)', 'a column of a query'],
];

/**
 * What is not written, and what is written instead (docs/glossary.md). Regular expressions without case, bound to whole words;
 * a space also matches a line break. Words that the trade uses in another sense appear only in the phrases that are wrong.
 */
export const BANNED: readonly (readonly [pattern: string, instead: string])[] = [
  // People
  ['whoever|whomever', 'anyone who, the user who'],
  ["nobody(?:'s)?", 'no user, no one, or the passive'],
  ["somebody(?:'s)?", 'someone, another user, or the passive'],
  ["everybody(?:'s)?", 'everyone, all users'],
  ["anybody(?:'s)?", 'anyone, any user'],
  ["one's (?:way|own)", 'your, their own'],
  ['whose (?:it is|they are)', 'the owner'],
  ['asked for by', 'requested by'],
  ['(?:within|out of) (?:(?:your|their|its|his) )?reach', 'visible to, permitted'],

  // Desired and live state
  ['wanted', 'desired, required'],
  ['(?:as|what) (?:it |they )?should be there', 'desired state'],
  ['what is (?:really )?there', 'live state'],
  ['(?:last|oldest|newest|one|each|every|next|first|earlier|later|older|newer|same) readings?', 'snapshot, last read'],
  ['a reading (?:from|of|that|which)', 'a snapshot'],
  ['(?:last|two|next|each|every|a) looks?(?= (?:at|finds|found|saw|sees|later))', 'snapshot, check'],
  ['between two looks', 'between two reads'],

  // Rules and policies
  ['(?:in|into) force', 'enforced, active'],
  ['(?:stand|stands|stood|standing) for', 'resolve to, mean'],
  ['(?:stand|stands|stood|standing) (?:at|on|in)', 'are placed on, are in'],
  ['(?:stand|stands|stood|standing) (?:above|before)', 'evaluated before'],
  ['(?:stand|stands|stood|standing) (?:below|behind|after|under)', 'evaluated after, below'],
  ['(?:stand|stands|stood|standing) (?:beside|between|still|there|open|alone|ready)', 'a verb that says what happens'],
  ['where (?:a|the|each|every) \\w+ stands', 'the status of'],
  ['how (?:it|they|things) stands?', 'the status'],
  ['liv(?:e|es|ing) on the default', 'gets the default policy'],
  ['(?:decide|decides|decided|deciding) about', 'match'],
  ['(?:judge|judges|judged|judging)', 'evaluate'],
  ['would hit', 'would match, would be dropped'],
  ['made elsewhere|made by (?:others|people|hand)', 'unmanaged, created manually'],
  ['foreign rules?', 'unmanaged rules'],
  ['ours|our rules?', 'managed rules'],
  ['rules of (?:others|people|strangers)', 'unmanaged rules'],
  ['what version \\w+ said', 'restores version n'],
  ['not said', 'not specified'],

  // Traffic
  ['knock|knocks|knocked|knocking', 'inbound connection attempts'],
  ['talk(?:s|ed|ing)? (?:to|with|about)|who talk(?:s|ed)?', 'connects to; conversation'],
  ['speaks? (?:to|with|for)', 'connects to'],
  ['(?:network|guest) cards?', 'interface'],
  ['sums(?! up)', 'totals, aggregates, rollups'],

  // Agents and jobs
  [
    'silent agents?|agents? (?:is|are|was|were|falls?|fell|goes|went|stays?) silent|(?:fell|falls|gone|went) silent',
    'stale',
  ],
  ['said nothing|says nothing', 'stale; no data'],
  ['gives? up|gave up|given up', 'stops retrying; failed after n attempts'],
  ['(?:goes|gone|went) on', 'continues'],
  ['(?:break|breaks|broke|broken|breaking) off', 'aborted, interrupted'],

  // Addresses
  ['set aside', 'reserved'],
  ['(?:take|takes|took|taken|taking) away', 'unassign, remove'],
  ['already taken', 'already exists, in use'],

  // Verbs of speech
  ['(?:say|says|said|saying) of', 'says about, reports for'],
  [
    '(?:tell|tells|telling|told) (?:of|what|which|whether|how|why|where|when|who|nothing|more|apart|about|from)',
    'says, shows, reports, describes',
  ],
  ['(?:is|are|was|were|be|been|being) (?:not |never |only )?told', 'is reported, is shown, is notified'],
  ['unless told|when told|if told', 'unless configured, when asked'],
  ['known of', 'known about'],

  // Adverbs and posture
  ['at once', 'immediately, at the same time'],
  ['by hand', 'manually'],
  ['anew', 'again'],
  ['meanwhile', '(leave it out)'],
  ['e-mail|e-mails', 'email'],
  ['for good', 'permanently'],
  ['in words', 'as text'],
  ['mend|mends|mended|mending', 'fix'],
  ['nasty|nastiness|nastier', 'what fails, and how'],
  ['(?:lie|lies|lay|lying) (?:in|beside|below|within|behind|at|on|beneath)', 'is in'],

  // American spelling
  ['(?:colour|behaviour|neighbour|favour|honour|flavour)\\w*', 'color, behavior, neighbor, …'],
  ['grey\\w*', 'gray'],
  [
    '(?:un)?(?:author|recogn|organ|util|serial|normal|summar|initial|minim|maxim|synchron|optim|custom|priorit|categor|local|material|token|canonical|sanit|anonym|final|general|special|visual|virtual|central|standard|emphas|memor|real|random|penal)is(?:e[drs]?|ing|ations?)',
    '-ize, -ization',
  ],
  ['enrol|enrols|enrolments?', 'enroll, enrollment'],
  ['licen[c]e[sd]?', 'license'],
  ['artefacts?', 'artifact'],
  ['analys(?:e|ed|ing)', 'analyze'],
  ['catalogues?', 'catalog'],
  ['whilst', 'while'],
];

/** Parts of identifiers and file names that are not used, and what is used instead. */
export const BANNED_PARTS: readonly (readonly [pattern: string, instead: string])[] = [
  ['(?:un|re)?told|tellers?', 'reported, shown, notified'],
  ['said|sayings?|sayers?|spoken', 'reported, described'],
  ['wanted', 'desired, requested, expected'],
  ['judge[ds]?|judging|judge?ments?', 'evaluate, verdict'],
  ['worlds?', 'fixture, lab, environment'],
  ['boards?', 'state, snapshots'],
  ['nobody|somebody|everybody|anybody', 'none, anonymous'],
  ['whoever|whomever|wherever', 'a noun'],
  ['afresh|anew|lately|briefly|meanwhile', '(leave it out)'],
];

/** The same for names of files and folders: suffixes that carry nothing. */
export const PATH_PARTS: readonly (readonly [pattern: string, instead: string])[] = [
  ['readings?', 'snapshot'],
  ['places', 'endpoints, nodes, locations'],
  ['marks', 'a noun'],
  ['looks?', 'style'],
];

/** Identifiers that contain a banned part, and why they stay. */
export const KEPT_NAMES: readonly (readonly [name: string, reason: string])[] = [
  ['judged', 'a field of the security posture in the API'],
  ['world', 'a field of the file in which the demo keeps its clusters'],
];

/** The same for the translations of the console: one word for each term. What search is typed with is left out. */
export const BANNED_IN: Readonly<Record<string, typeof BANNED>> = {
  de: [
    ['Arbeitslast(?:en)?', 'Workload'],
    ['G(?:ast|äste|ästen|astsysteme?n?)(?!-)', 'Workload; Gast-Agent, Gast-Firewall'],
    ['Netz(?:werk)?karten?', 'Schnittstelle'],
    ['Kenn(?:wort|wörter|worts|wörtern)', 'Passwort'],
    ['Emails?', 'E-Mail'],
    ['Urteile?|beurteilt?|beurteilen', 'ausgewertet, laut Regeln'],
    ['stumm(?:e[nrs]?)?', 'veraltet'],
    ['Gespräche?n?|Unterhaltung(?:en)?', 'Konversation'],
    ['fremde[nr]? Regeln?', 'nicht verwaltete Regel'],
    ['Mieter', 'Mandant'],
    ['Beweise?n?|Evidenz(?:en)?', 'Belege'],
  ],
  fr: [
    ['workloads?', 'charge de travail'],
    ['cartes? réseau', 'interface'],
    ['(?:courriel|mél|email|mail)s?', 'e-mail'],
    ['(?:verdict|jug(?:é|ée|és|ées|er))s?', 'évalué, selon les règles'],
    ['(?:ignor(?:é|ée|és|ées) ou rejet|paquets? ignor)\\p{L}*', 'abandonné'],
    ['stratégies?', 'politique'],
    ['balises?', 'étiquette'],
    ['(?:silencieux|muets?)', 'périmé'],
    ['règles? étrang(?:ère|ères)', 'règle non gérée'],
    ['tenants?', 'locataire'],
    ['évidences?', 'preuve'],
  ],
};
