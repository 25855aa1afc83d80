import { computeListDigest, withDigest } from '../firewall/digest';
import { type Alias, type FirewallFile, parseIpOrCidr } from '../firewall/firewall-file';
import { GROUP_NAME, MAX_SET_NAME } from '../firewall/vocabulary';
import { parameterError } from '../pve-error';
import { common, formats } from '../schema/formats';
import type { ParamSpec } from '../schema/param-spec';
import {
  assertUnmodified,
  CLUSTER_SCOPE,
  editFirewall,
  type FirewallScope,
  readClusterFirewall,
  readFirewall,
  visibleSdnSets,
} from './firewall-scope';
import { type Call, type Route, textParam } from './route';

const ALIAS_NAME: ParamSpec = { type: 'string', minLength: 2, maxLength: MAX_SET_NAME, pattern: GROUP_NAME };

const listAliases = (file: FirewallFile): Alias[] =>
  [...file.aliases.keys()].sort().map((key) => file.aliases.get(key) as Alias);

function buildAlias(call: Call, name: string): Alias {
  const parsed = parseIpOrCidr(textParam(call, 'cidr'));
  if (!parsed) throw parameterError({ cidr: 'value does not look like a valid IP address or CIDR network' });
  return { name, ...parsed, ...(call.params.comment && { comment: call.params.comment }) };
}

function createAlias(call: Call, scope: FirewallScope): Promise<null> {
  return editFirewall(call, scope, ({ aliases }) => {
    const name = textParam(call, 'name');
    if (aliases.has(name.toLowerCase())) throw parameterError({ name: `alias '${name}' already exists` });
    aliases.set(name.toLowerCase(), buildAlias(call, name));
  });
}

function updateAlias(call: Call, scope: FirewallScope): Promise<null> {
  return editFirewall(call, scope, (file) => {
    assertUnmodified(computeListDigest(listAliases(file)), call.params.digest);
    const key = textParam(call, 'name').toLowerCase();
    const { rename } = call.params;
    if (!file.aliases.has(key)) throw parameterError({ name: 'no such alias' });
    const newKey = rename?.toLowerCase() ?? key;
    if (newKey !== key && file.aliases.has(newKey)) throw parameterError({ name: `alias '${rename}' already exists` });
    file.aliases.delete(key);
    file.aliases.set(newKey, buildAlias(call, newKey === key ? textParam(call, 'name') : (rename ?? '')));
  });
}

type Ref = { type: 'alias' | 'ipset'; name: string; ref: string; scope: string; comment?: string };

const toRefs = (file: FirewallFile, scope: string): Ref[] => [
  ...listAliases(file).map(({ name, comment }): Ref => ({ type: 'alias', name, ref: name, scope, comment })),
  ...[...file.ipsets].map(([name, { comment }]): Ref => ({ type: 'ipset', name, ref: `+${name}`, scope, comment })),
];

function listRefs(call: Call, scope: FirewallScope): Ref[] {
  const all = toRefs(readClusterFirewall(call), 'dc');
  for (const [name, comment] of visibleSdnSets(call)) {
    all.push({ type: 'ipset', name, ref: `+${name}`, scope: 'sdn', comment });
  }
  if (scope !== CLUSTER_SCOPE) all.push(...toRefs(readFirewall(call, scope), 'guest'));
  return all.filter(({ type }) => call.params.type === undefined || type === call.params.type);
}

/** Aliases of a scope, and the list of everything its rules may refer to. */
export function buildAliasRoutes(scope: FirewallScope): Route[] {
  const { pathParams } = scope;
  const all = `${scope.base}/aliases`;
  const one = `${all}/{name}`;
  const named = { ...pathParams, name: ALIAS_NAME };
  const cidr: ParamSpec = { type: 'string', format: formats.ipOrCidr };
  const reading = { permission: scope.read, proxied: false, handledBy: 'pveproxy' } as const;
  const writing = { permission: scope.write, proxied: false, handledBy: 'pvedaemon', meter: 'firewall-write' } as const;
  return [
    {
      ...reading,
      method: 'GET',
      pattern: all,
      params: pathParams,
      handle: (call) => withDigest(listAliases(readFirewall(call, scope))),
    },
    {
      ...writing,
      method: 'POST',
      pattern: all,
      params: { ...named, cidr, comment: common.text },
      handle: (call) => createAlias(call, scope),
    },
    {
      ...reading,
      method: 'GET',
      pattern: one,
      params: named,
      handle: (call) => {
        const alias = readFirewall(call, scope).aliases.get(textParam(call, 'name').toLowerCase());
        if (!alias) throw parameterError({ name: 'no such alias' });
        return alias;
      },
    },
    {
      ...writing,
      method: 'PUT',
      pattern: one,
      params: {
        ...named,
        cidr,
        comment: common.text,
        digest: common.digest,
        rename: { ...ALIAS_NAME, optional: true },
      },
      handle: (call) => updateAlias(call, scope),
    },
    {
      ...writing,
      method: 'DELETE',
      pattern: one,
      params: { ...named, digest: common.digest },
      handle: (call) =>
        editFirewall(call, scope, (file) => {
          assertUnmodified(computeListDigest(listAliases(file)), call.params.digest);
          file.aliases.delete(textParam(call, 'name').toLowerCase());
        }),
    },
    {
      ...reading,
      method: 'GET',
      pattern: `${scope.base}/refs`,
      params: { ...pathParams, type: { type: 'string', optional: true, enum: ['alias', 'ipset'] } },
      handle: (call) => listRefs(call, scope),
    },
  ];
}
