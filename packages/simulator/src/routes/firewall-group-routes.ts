import { computeListDigest, withDigest } from '../firewall/digest';
import { FILE_SCOPES, type FirewallFile, parseFirewallFile, printFirewallFile } from '../firewall/firewall-file';
import { FIREWALL_MACROS } from '../firewall/macros';
import { GROUP_NAME, MAX_GROUP_NAME } from '../firewall/vocabulary';
import { PveError, parameterError } from '../pve-error';
import { common } from '../schema/formats';
import type { ParamSpec } from '../schema/param-spec';
import { buildRuleRoutes } from './firewall-rule-routes';
import { assertUnmodified, CLUSTER_SCOPE, editFirewall, readClusterFirewall } from './firewall-scope';
import { type Call, type Route, textParam } from './route';

const NAME: ParamSpec = { type: 'string', minLength: 2, maxLength: MAX_GROUP_NAME, pattern: GROUP_NAME };

const listGroups = (file: FirewallFile) =>
  [...file.groups.keys()].sort().map((group) => {
    const comment = file.groups.get(group)?.comment;
    return { group, ...(comment && { comment }) };
  });

const getGroup = (file: FirewallFile, call: Call) => {
  const name = textParam(call, 'group');
  const group = file.groups.get(name);
  if (!group) throw new PveError(500, `no such security group '${name}'`);
  return group;
};

async function createGroup(call: Call): Promise<null> {
  const name = textParam(call, 'group');
  const { rename, comment } = call.params;
  await editFirewall(call, CLUSTER_SCOPE, (file) => {
    if (rename === undefined) {
      if (file.groups.has(name)) throw parameterError({ group: `Security group '${name}' already exists` });
      file.groups.set(name, { comment, entries: [] });
      return;
    }
    assertUnmodified(computeListDigest(listGroups(file)), call.params.digest);
    const old = file.groups.get(rename);
    if (!old) throw parameterError({ group: `Security group '${rename}' does not exist` });
    if (rename !== name && file.groups.has(name)) {
      throw parameterError({ group: `Security group '${name}' already exists` });
    }
    file.groups.delete(rename);
    file.groups.set(name, { comment: comment ?? old.comment, entries: old.entries });
    if (rename !== name) renameInFile(file, rename, name);
  });
  if (rename !== undefined && rename !== name) await renameReferences(call, rename, name);
  return null;
}

function renameInFile(file: FirewallFile, from: string, to: string): boolean {
  const users = file.rules.filter((rule) => rule.type === 'group' && rule.action === from);
  for (const rule of users) rule.action = to;
  return users.length > 0;
}

/** References in every guest's and host's file, one lock per file: slow in a large cluster. */
async function renameReferences(call: Call, from: string, to: string): Promise<void> {
  const { cluster } = call;
  for (const [path, text] of cluster.files) {
    const vmid = /^firewall\/(\d+)\.fw$/.exec(path)?.[1];
    const node = /^nodes\/(.+)\/host\.fw$/.exec(path)?.[1];
    if (vmid === undefined && node === undefined) continue;
    const scope = node !== undefined ? FILE_SCOPES.host : FILE_SCOPES.qemu;
    const lock = node !== undefined ? `firewall-host-${node}` : `firewall-vm-${vmid}`;
    await cluster.locks.withClusterLock(lock, async () => {
      await cluster.clock.sleep(cluster.fileWriteMs);
      const datacenter = readClusterFirewall(call);
      const file = parseFirewallFile(cluster.files.get(path) ?? text, scope, { datacenter, sdnSets: new Set() });
      if (!renameInFile(file, from, to)) return;
      cluster.change(() =>
        cluster.files.set(
          path,
          printFirewallFile(file, (names) => cluster.random.shuffle(names)),
        ),
      );
    });
  }
}

const groups = '/cluster/firewall/groups';
const writing = {
  permission: CLUSTER_SCOPE.write,
  proxied: false,
  handledBy: 'pvedaemon',
  meter: 'firewall-write',
} as const;

/** Security groups, their rules, and the list of macros. */
export const groupRoutes: Route[] = [
  {
    method: 'GET',
    pattern: groups,
    params: {},
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => withDigest(listGroups(readClusterFirewall(call))),
  },
  {
    ...writing,
    method: 'POST',
    pattern: groups,
    params: { group: NAME, comment: common.text, digest: common.digest, rename: { ...NAME, optional: true } },
    handle: createGroup,
  },
  {
    ...writing,
    method: 'DELETE',
    pattern: `${groups}/{group}`,
    params: { group: NAME },
    handle: (call) =>
      editFirewall(call, CLUSTER_SCOPE, (file) => {
        const name = textParam(call, 'group');
        if (getGroup(file, call).entries.length > 0) throw new PveError(500, `Security group '${name}' is not empty`);
        file.groups.delete(name);
      }),
  },
  ...buildRuleRoutes({
    scope: CLUSTER_SCOPE,
    pattern: `${groups}/{group}`,
    pathParams: { group: NAME },
    ruleScope: 'group',
    of: (file, call) => getGroup(file, call).entries,
  }),
  {
    method: 'GET',
    pattern: '/cluster/firewall/macros',
    params: {},
    proxied: false,
    handledBy: 'pveproxy',
    handle: ({ cluster }) =>
      cluster.random
        .shuffle(Object.keys(FIREWALL_MACROS))
        .map((macro) => ({ macro, descr: FIREWALL_MACROS[macro]?.descr })),
  },
];
