/** What an ICMP type name means; without `code`, every code of the type matches. */
export type IcmpMatch = { readonly type: number; readonly code?: number };

// name=type or name=type/code
const ICMP = `echo-reply=0 destination-unreachable=3 network-unreachable=3/0 host-unreachable=3/1 protocol-unreachable=3/2
  port-unreachable=3/3 fragmentation-needed=3/4 source-route-failed=3/5 network-unknown=3/6 host-unknown=3/7
  network-prohibited=3/9 host-prohibited=3/10 TOS-network-unreachable=3/11 TOS-host-unreachable=3/12
  communication-prohibited=3/13 host-precedence-violation=3/14 precedence-cutoff=3/15 source-quench=4 redirect=5
  network-redirect=5/0 host-redirect=5/1 TOS-network-redirect=5/2 TOS-host-redirect=5/3 echo-request=8
  router-advertisement=9 router-solicitation=10 time-exceeded=11 ttl-zero-during-transit=11/0
  ttl-zero-during-reassembly=11/1 parameter-problem=12 ip-header-bad=12/0 required-option-missing=12/1
  timestamp-request=13 timestamp-reply=14 address-mask-request=17 address-mask-reply=18`;

const ICMPV6 = `destination-unreachable=1 no-route=1/0 communication-prohibited=1/1 beyond-scope=1/2 address-unreachable=1/3
  port-unreachable=1/4 failed-policy=1/5 reject-route=1/6 packet-too-big=2 time-exceeded=3 ttl-zero-during-transit=3/0
  ttl-zero-during-reassembly=3/1 parameter-problem=4 bad-header=4/0 unknown-header-type=4/1 unknown-option=4/2
  echo-request=128 echo-reply=129 router-solicitation=133 router-advertisement=134 neighbor-solicitation=135
  neighbour-solicitation=135 neighbor-advertisement=136 neighbour-advertisement=136 redirect=137`;

function parseTable(text: string): ReadonlyMap<string, IcmpMatch> {
  return new Map(
    text.split(/\s+/).map((item) => {
      const [name = '', value = ''] = item.split('=');
      const [type, code] = value.split('/').map(Number);
      return [name, { type: type ?? 0, ...(code !== undefined && { code }) }];
    }),
  );
}

const TABLES = { 4: parseTable(ICMP), 6: parseTable(ICMPV6) };

/** What a type name matches; `any` matches every ICMP packet. Null for a name that is not known. */
export function icmpMatch(name: string, family: 4 | 6): IcmpMatch | 'any' | null {
  if (name === 'any' && family === 4) return 'any';
  return TABLES[family].get(name) ?? null;
}

/** The name of a type with all of its codes; null if there is none. */
export function icmpName(type: number, family: 4 | 6): string | null {
  const found = [...TABLES[family]].find(([, match]) => match.type === type && match.code === undefined);
  return found?.[0] ?? null;
}
