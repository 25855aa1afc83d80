import { orNull, ProviderError } from '../../errors';
import type { FirewallWriter, GuestOptionChanges, RuleFields } from '../../firewall-types';
import type { GuestRef, InventoryReader } from '../../types';
import type { PveClient } from '../client';
import { type ApiPath, apiPath, type Params } from '../http/encode';
import type { HttpMethod } from '../http/exchange';
import { guestFirewallPath } from './read-guest-firewall';
import { appendSegments, readRules, readSet } from './read-lists';
import { readOptions } from './read-options';
import { setNicFlag } from './set-nic-flag';

/** The hypervisor keeps firewall files as lines of text: a line break would add rules, and `#` ends the reading of some versions. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}#]/u;
const PORT_FIELDS = ['sport', 'dport'] as const;

const refused = (field: string, problem: string) =>
  new ProviderError('invalid_parameter', `${field} ${problem}`, 'Report this message; nothing was written.', {
    errors: { [field]: problem },
  });

function assertSafe(params: Params): void {
  for (const [field, value] of Object.entries(params)) {
    if (typeof value === 'string' && UNSAFE.test(value))
      throw refused(field, 'contains characters that cannot be stored');
  }
}

function ruleParams(rule: RuleFields): Params {
  for (const field of PORT_FIELDS) {
    // The hypervisor drops a port of zero without a word and keeps the rule, for every port.
    if (rule[field] !== undefined && /(?:^|[,:])0+(?=$|[,:])/.test(rule[field])) throw refused(field, 'must not be 0');
  }
  return { ...rule };
}

function optionParams(changes: GuestOptionChanges): Params {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  const deleted = entries.filter(([, value]) => value === null).map(([name]) => name);
  const stored = Object.fromEntries(entries.filter(([, value]) => value !== null)) as Params;
  return { ...stored, ...(deleted.length > 0 && { delete: deleted.join(',') }) };
}

/** Changes the firewall of guests. Rules and sets are written by whichever node is asked, options by the guest's own. */
export function createFirewallWriter(client: PveClient, inventory: InventoryReader): FirewallWriter {
  const write = async (method: HttpMethod, path: ApiPath, params: Params = {}, node?: string): Promise<void> => {
    assertSafe(params);
    await client.request({ method, path, params, firewallFile: true, ...(node !== undefined && { node }) });
  };
  const one = (guest: GuestRef, pos: number) => appendSegments(guestFirewallPath(guest), 'rules', String(pos));
  const set = (guest: GuestRef, ...names: string[]) => appendSegments(guestFirewallPath(guest), 'ipset', ...names);
  return {
    readRules: (guest) => readRules(client, appendSegments(guestFirewallPath(guest), 'rules')),
    readOptions: (guest) => readOptions(client, guest),
    readSet: (guest, name) => orNull(readSet(client, guestFirewallPath(guest), name), 'not_found'),
    createRule: async (guest, rule) =>
      write('POST', appendSegments(guestFirewallPath(guest), 'rules'), ruleParams(rule)),
    setRuleEnabled: (guest, { pos, digest }, enabled) =>
      write('PUT', one(guest, pos), { enable: enabled ? 1 : 0, digest }),
    removeRuleLog: (guest, { pos, digest }) => write('PUT', one(guest, pos), { delete: 'log', digest }),
    // `moveto` is the place in the old numbering before which the rule is put.
    moveRule: (guest, { pos, digest }, to) => write('PUT', one(guest, pos), { moveto: to > pos ? to + 1 : to, digest }),
    deleteRule: (guest, { pos, digest }) => write('DELETE', one(guest, pos), { digest }),
    createSet: (guest, name, comment) => write('POST', set(guest), { name, comment }),
    addSetEntry: (guest, name, cidr) => write('POST', set(guest, name), { cidr }),
    removeSetEntry: (guest, name, cidr, digest) => write('DELETE', set(guest, name, cidr), { digest }),
    deleteSet: (guest, name) => write('DELETE', set(guest, name), { force: 1 }),
    setOptions: (guest, changes, digest) =>
      write(
        'PUT',
        appendSegments(guestFirewallPath(guest), 'options'),
        { ...optionParams(changes), digest },
        guest.node,
      ),
    setNicFirewall: (guest, nic, enabled, fingerprint = null) =>
      setNicFlag({ inventory, put: (ref, params) => putConfig(client, ref, params) }, guest, nic, enabled, fingerprint),
  };
}

async function putConfig(client: PveClient, { node, kind, vmid }: GuestRef, params: Params): Promise<void> {
  await client.request({ method: 'PUT', path: apiPath`/nodes/${node}/${kind}/${vmid}/config`, params, node });
}
