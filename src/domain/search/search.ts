import { z } from 'zod';
import { formatCidr, parseCidr, toNetwork } from '../net/cidr';
import { formatIp, parseIp } from '../net/ip-address';
import { normalizeMac } from '../net/mac-address';
import { MAX_RECENT } from '../page-limits';

/** What can be found, in the order in which equally good results are listed. */
export const SEARCH_KINDS = [
  'workload',
  'policy',
  'policy_test',
  'change',
  'security_group',
  'cluster',
  'node',
  'network',
  'vlan',
  'subnet',
  'ip_address',
  'project',
  'tenant',
  'user',
  'api_token',
  'role',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const SearchInput = z.strictObject({
  /** Name, VMID, MAC address, IP address, prefix, tag or VLAN, or the beginning of one. A word such as `vm` or `policy` before it limits the search to that kind. */
  q: z.string().trim().max(200, 'At most 200 characters.').optional(),
  /** Ids of things that were found before, separated by commas: the ones that still exist and are visible, as they are now. */
  recent_ids: z
    .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(z.string())])
    .pipe(z.array(z.uuid('A list of ids, separated by commas.')).max(MAX_RECENT))
    .optional(),
  /** Results of each kind at most. */
  limit: z.coerce.number({ error: 'A number from 1 to 50.' }).int().min(1).max(50).default(8),
});
export type SearchInput = z.output<typeof SearchInput>;

export const SearchResult = z.object({
  kind: z.enum(SEARCH_KINDS),
  /** The id of the thing; of a VLAN, the id of its network. */
  id: z.uuid(),
  /** The name of the thing: of a prefix its CIDR, of an address the address, of a VLAN its number. */
  name: z.string(),
  /** The MAC address, IP address, tag or other text that matched, if not the name. */
  matched: z.string().nullable(),
  /** Where it is: its cluster, network, tenant or owner; of a change, its state. */
  place: z.string().nullable(),
  /** The user of an API token. */
  parent_id: z.uuid().nullable(),
  /** The primary address of a workload. */
  address: z.string().nullable(),
});
export type SearchResult = z.output<typeof SearchResult>;

export const SearchResults = z.object({
  /** Best matches first. */
  items: z.array(SearchResult),
  /** Nothing matched exactly: these are things with a similar name. */
  similar: z.boolean(),
});
export type SearchResults = z.output<typeof SearchResults>;

/** Words for a kind in the languages of the console. Pages are found by the labels of their page. */
const WORDS_OF_KINDS: readonly [words: string, ...kinds: SearchKind[]][] = [
  [
    'workload workloads vm vms guest guests container containers ct lxc qemu machine server gast gäste invité',
    'workload',
  ],
  ['policy policies rule rules richtlinie richtlinien regel regeln politique politiques règle règles', 'policy'],
  ['test tests richtlinientest richtlinientests', 'policy_test'],
  ['change changes änderung änderungen modification modifications', 'change'],
  ['group groups sg gruppe gruppen groupe groupes', 'security_group'],
  ['cluster clusters grappe', 'cluster'],
  ['node nodes host hosts knoten nœud noeud nœuds noeuds hôte', 'node'],
  ['network networks bridge vnet netz netzwerk netze netzwerke réseau réseaux', 'network', 'vlan'],
  ['vlan vlans', 'vlan', 'network', 'subnet'],
  ['prefix prefixes subnet subnets präfix präfixe subnetz préfixe préfixes', 'subnet'],
  ['address addresses ip adresse adressen adresses', 'ip_address', 'workload'],
  ['mac', 'workload', 'ip_address'],
  ['vmid tag', 'workload'],
  ['project projects projekt projekte projet projets', 'project'],
  ['tenant tenants mandant mandanten client', 'tenant'],
  ['user users account benutzer konto utilisateur utilisateurs compte', 'user'],
  ['token tokens jeton jetons', 'api_token'],
  ['role roles rolle rollen rôle rôles', 'role'],
];
const KIND_WORDS: ReadonlyMap<string, readonly SearchKind[]> = new Map(
  WORDS_OF_KINDS.flatMap(([words, ...kinds]) => words.split(' ').map((word) => [word, kinds] as const)),
);

/** What a search text means. Addresses are canonical. */
export type SearchTerms = {
  /** The text in lower case, without the word for a kind. */
  text: string;
  words: readonly string[];
  /** The kinds that the first word names, with the rest as `text`; null: every kind, with all of the text. */
  kinds: readonly SearchKind[] | null;
  ip: string | null;
  /** The beginning of an IP address or prefix. */
  ipPart: string | null;
  cidr: string | null;
  mac: string | null;
  macPart: string | null;
  number: string | null;
};

/** The beginning of an address: digits with a dot, or hexadecimal digits with a colon, and perhaps a prefix length. */
const IP_PART = /^(\d{1,3}(\.\d{0,3}){1,3}|[0-9a-f]{0,4}(:[0-9a-f]{0,4}){1,7})(\/\d{0,3})?$/;
/** Two pairs of a MAC address or more: colons or dashes between pairs. */
const MAC_PART = /^[0-9a-f]{2}([:-][0-9a-f]{2}){1,4}[:-]?[0-9a-f]?$/;

function parseTerms(text: string, kinds: SearchTerms['kinds']): SearchTerms {
  const ip = parseIp(text);
  const mac = normalizeMac(text);
  const cidr = text.includes('/') ? parseCidr(text) : null;
  return {
    text,
    words: [...new Set(text.split(/\s+/).filter(Boolean))].slice(0, 8),
    kinds,
    ip: ip && formatIp(ip),
    cidr: cidr && formatCidr(toNetwork(cidr)),
    ipPart: !ip && !mac && !cidr && IP_PART.test(text) ? text : null,
    mac: mac?.toLowerCase() ?? null,
    macPart: !mac && MAC_PART.test(text) ? text.replaceAll('-', ':') : null,
    number: /^\d{1,9}$/.test(text) ? text : null,
  };
}

/** The meanings of a search text: all of it, and the rest after a word for a kind. */
export function parseSearch(q: string): SearchTerms[] {
  const text = q.trim().toLowerCase();
  if (text === '') return [];
  const [first = '', ...rest] = text.split(/\s+/);
  const kinds = rest.length > 0 ? KIND_WORDS.get(first) : undefined;
  return [...(kinds ? [parseTerms(rest.join(' '), kinds)] : []), parseTerms(text, null)];
}
