import { nicNames } from '../config/guest-config';
import type { FirewallFile } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import { parseNic } from '../schema/guest-nic';
import type { LocalGuest } from './compile-faults';
import { isLostType } from './match-rule';

type Family = 4 | 6;
type Direction = 'in' | 'out';
const DIRECTIONS: readonly Direction[] = ['in', 'out'];

type Objects = { datacenter: FirewallFile; sdnSets: ReadonlyMap<string, unknown> };

/** Whether the compiler finds no object behind a reference of a group's rule, which has no guest. */
function isLostReference(spec: string | undefined, { datacenter, sdnSets }: Objects): boolean {
  const [, plus, scope, name = ''] = /^(\+?)(guest|dc|sdn)\/(.*)$/.exec(spec ?? '') ?? [];
  if (scope === undefined) return false;
  if (scope === 'guest') return true;
  return plus === '+' && !(scope === 'dc' ? datacenter.ipsets : sdnSets).has(name);
}

/** Whether the compiler dies at a rule that the API found nothing wrong with. */
export const isDeadly = (rule: FirewallRule, objects: Objects): boolean =>
  isLostType(rule) || isLostReference(rule.source, objects) || isLostReference(rule.dest, objects);

/**
 * Chains of groups as the iptables compiler writes them, in its order: node, virtual machines, containers. Rules of the node
 * that fail are left out. A rule of a group is not caught there: it ends the chains of the group and of the guest that asked
 * for them first. Guests after that one get what was written until then.
 */
export class GroupChains {
  readonly #objects: Objects;
  readonly #written = new Map<string, FirewallRule[]>();
  readonly #lost = new Map<FirewallRule, Set<string>>();
  readonly #unplugged = new Set<string>();

  constructor(
    objects: Objects,
    host: { readonly enabled: boolean; readonly file: FirewallFile },
    locals: readonly LocalGuest[],
  ) {
    this.#objects = objects;
    const guests = (type: string) =>
      locals
        .filter(({ guest, file }) => guest.type === type && file.options.enable === 1)
        .sort((a, b) => (String(a.guest.vmid) < String(b.guest.vmid) ? -1 : 1));
    for (const family of [4, 6] as const) {
      if (host.enabled) this.#writeHost([...host.file.rules, ...objects.datacenter.rules], family);
      for (const local of [...guests('qemu'), ...guests('lxc')]) this.#writeGuest(local, family);
    }
  }

  /** Rules of the group in the chain that a rule jumps to. */
  listMembers(rule: FirewallRule, direction: Direction, family: Family): readonly FirewallRule[] {
    if (this.#lost.get(rule)?.has(`${direction} ${family}`)) return [];
    return this.#written.get(`${rule.action} ${direction} ${family}`) ?? [];
  }

  /** Whether packets of the interface do not reach its chain. */
  isUnplugged(vmid: number, nic: string, direction: Direction, family: Family): boolean {
    return this.#unplugged.has(`${vmid} ${nic} ${direction} ${family}`);
  }

  #writeHost(rules: readonly FirewallRule[], family: Family): void {
    for (const direction of DIRECTIONS) {
      for (const rule of rules) {
        if (rule.type !== 'group' || rule.enable !== 1 || rule.errors) continue;
        if (this.#refer(rule.action, direction, family)) continue;
        this.#lost.set(rule, (this.#lost.get(rule) ?? new Set()).add(`${direction} ${family}`));
      }
    }
  }

  #writeGuest({ guest, file }: LocalGuest, family: Family): void {
    const nics = nicNames(guest.config.current)
      .filter((name) => parseNic(guest.type, guest.config.current.get(name) ?? '')?.firewall === '1')
      .sort();
    let isDead = false;
    for (const nic of nics) {
      for (const direction of DIRECTIONS) {
        isDead ||= file.rules.some(
          ({ type, action, enable, errors, iface }) =>
            type === 'group' &&
            enable === 1 &&
            !errors &&
            (iface === undefined || iface === nic) &&
            !this.#refer(action, direction, family),
        );
        if (isDead) this.#unplugged.add(`${guest.vmid} ${nic} ${direction} ${family}`);
      }
    }
  }

  /** Writes the chains of a group where the asked one is missing; false when that fails. */
  #refer(group: string, direction: Direction, family: Family): boolean {
    if (this.#written.has(`${group} ${direction} ${family}`)) return true;
    return DIRECTIONS.every((each) => this.#write(group, each, family));
  }

  #write(group: string, direction: Direction, family: Family): boolean {
    const key = `${group} ${direction} ${family}`;
    // A chain that is there already cannot be made.
    if (this.#written.has(key)) return false;
    const chain: FirewallRule[] = [];
    this.#written.set(key, chain);
    for (const rule of this.#objects.datacenter.groups.get(group)?.entries ?? []) {
      const { type, enable, errors, ipversion } = rule;
      if (type !== direction || enable !== 1 || errors || (ipversion !== undefined && ipversion !== family)) continue;
      if (isDeadly(rule, this.#objects)) return false;
      chain.push(rule);
    }
    return true;
  }
}
