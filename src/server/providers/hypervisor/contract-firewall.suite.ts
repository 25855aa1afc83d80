import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContractTarget } from './contract.suite';
import type { RuleFields } from './firewall-types';
import { createProvider } from './registry';
import type { GuestRef, HypervisorProvider } from './types';

/** A cluster of which one guest may be written to. The suite removes what it adds. */
export type WritableTarget = ContractTarget & { vmid: number };

const MARK = 'fabric contract';
const rule = (comment: string, fields: Partial<RuleFields> = {}): RuleFields => ({
  type: 'in',
  action: 'ACCEPT',
  proto: 'tcp',
  dport: '65000',
  enable: 1,
  ...fields,
  comment: `${MARK} ${comment}`,
});

/** What every provider guarantees to callers that change the firewall of a guest. */
export function describeFirewallContract(name: string, open: () => Promise<WritableTarget>): void {
  describe(`provider contract, writing firewalls: ${name}`, () => {
    let target: WritableTarget;
    let provider: HypervisorProvider;
    let guest: GuestRef;

    beforeAll(async () => {
      target = await open();
      provider = createProvider(target.access, target);
      const found = (await provider.inventory.listGuests()).items.find(({ vmid }) => vmid === target.vmid);
      if (!found) throw new Error(`no guest ${target.vmid}`);
      guest = found;
    });
    afterAll(async () => {
      if (provider && guest) await removeOurs();
      provider?.close();
      await target?.close();
    });

    const read = () => provider.firewallWriter.readRules(guest);
    const comments = async () => (await read()).items.map(({ comment }) => comment ?? '');
    const ours = async () => (await comments()).filter((text) => text.startsWith(MARK)).map((t) => t.slice(16));
    const foreign = async () => (await read()).items.filter(({ comment }) => !comment?.startsWith(MARK));
    const handle = async (comment: string) => {
      const { items, digest } = await read();
      const pos = items.findIndex((item) => item.comment === `${MARK} ${comment}`);
      return { pos, digest };
    };
    async function removeOurs(): Promise<void> {
      for (;;) {
        const { items, digest } = await read();
        const pos = items.findLastIndex(({ comment }) => comment?.startsWith(MARK));
        if (pos < 0) return;
        await provider.firewallWriter.deleteRule(guest, { pos, digest });
      }
    }

    it('puts a new rule on top, byte for byte, and reads it back', async () => {
      const before = await foreign();
      const fields = rule('one', { source: '10.0.0.0/24,10.1.0.1', sport: '1024:65535', log: 'info', enable: 0 });
      await provider.firewallWriter.createRule(guest, fields);
      expect((await read()).items[0]).toEqual({ pos: 0, ...fields });
      expect(await foreign()).toMatchObject(before.map(({ pos: _, ...rest }) => rest));
      await removeOurs();
    });

    it('switches, moves and deletes exactly the rule that was read', async () => {
      const before = await foreign();
      for (const text of ['c', 'b', 'a']) await provider.firewallWriter.createRule(guest, rule(text));
      expect(await ours()).toEqual(['a', 'b', 'c']);
      for (const [text, to, order] of [
        ['a', 2, ['b', 'c', 'a']],
        ['a', 1, ['b', 'a', 'c']],
        ['c', 0, ['c', 'b', 'a']],
        ['c', 1, ['b', 'c', 'a']],
        ['b', 2, ['c', 'a', 'b']],
      ] as const) {
        await provider.firewallWriter.moveRule(guest, await handle(text), to);
        expect(await ours()).toEqual(order);
        expect((await handle(text)).pos).toBe(to);
      }
      const last = (await read()).items.length - 1;
      await provider.firewallWriter.moveRule(guest, await handle('a'), last);
      expect((await handle('a')).pos).toBe(last);
      await provider.firewallWriter.setRuleEnabled(guest, await handle('b'), false);
      expect((await read()).items.find(({ comment }) => comment === `${MARK} b`)?.enable).toBe(0);
      await provider.firewallWriter.deleteRule(guest, await handle('b'));
      expect(await ours()).toEqual(['c', 'a']);
      const fields = rule('logged', { source: '10.0.0.0/24', log: 'info', enable: 1 });
      await provider.firewallWriter.createRule(guest, fields);
      await provider.firewallWriter.removeRuleLog(guest, await handle('logged'));
      const { log: _, ...unlogged } = fields;
      expect((await read()).items[0]).toEqual({ pos: 0, ...unlogged });
      await removeOurs();
      expect(await foreign()).toEqual(before);
    });

    it('refuses a change of a list that is not the one that was read', async () => {
      await provider.firewallWriter.createRule(guest, rule('first'));
      const stale = await handle('first');
      await provider.firewallWriter.createRule(guest, rule('second'));
      const { firewallWriter: writer } = provider;
      for (const change of [
        () => writer.deleteRule(guest, stale),
        () => writer.moveRule(guest, stale, 1),
        () => writer.setRuleEnabled(guest, stale, false),
        () => writer.removeRuleLog(guest, stale),
      ]) {
        await expect(change()).rejects.toMatchObject({ code: 'conflict', remedy: expect.any(String) });
      }
      const { digest } = await read();
      await expect(writer.deleteRule(guest, { pos: 9_999, digest })).rejects.toMatchObject({ code: 'conflict' });
      expect(await ours()).toEqual(['second', 'first']);
      await removeOurs();
    });

    it('writes nothing that would be stored as something else', async () => {
      const before = await read();
      for (const [field, fields] of [
        ['comment', { comment: 'x\nIN ACCEPT' }],
        ['comment', { comment: 'half # of it' }],
        ['dport', { dport: '0' }],
        ['dport', { dport: '22,0' }],
        ['source', { source: '10.0.0.1\u2028' }],
      ] as const) {
        const attempt = provider.firewallWriter.createRule(guest, { ...rule('bad'), ...fields });
        await expect(attempt, field).rejects.toMatchObject({ code: 'invalid_parameter' });
      }
      await expect(
        provider.firewallWriter.createRule(guest, rule('bad', { source: '+guest/no-such-set' })),
      ).rejects.toMatchObject({ code: 'invalid_parameter' });
      expect(await read()).toEqual(before);
    });

    it('makes sets, fills them, and removes them with their entries', async () => {
      const { firewallWriter: writer } = provider;
      const set = 'fabric-contract';
      expect(await writer.readSet(guest, set)).toBeNull();
      await writer.createSet(guest, set, 'made by a test');
      await writer.addSetEntry(guest, set, '10.0.0.0/24');
      await writer.addSetEntry(guest, set, 'fd00::/64');
      await writer.addSetEntry(guest, set, '10.9.9.9');
      const filled = await writer.readSet(guest, set);
      expect(filled?.entries.map(({ cidr }) => cidr).sort()).toEqual(['10.0.0.0/24', '10.9.9.9', 'fd00::/64']);
      await writer.createRule(guest, rule('by set', { source: `+guest/${set}` }));
      expect((await read()).items[0]?.errors).toBeUndefined();
      await removeOurs();
      await writer.removeSetEntry(guest, set, '10.0.0.0/24', filled?.digest ?? '');
      const digest = filled?.digest ?? '';
      await expect(writer.removeSetEntry(guest, set, 'fd00::/64', digest)).rejects.toMatchObject({ code: 'conflict' });
      await writer.deleteSet(guest, set);
      expect(await writer.readSet(guest, set)).toBeNull();
    });

    it('changes only the options that are named', async () => {
      const { firewallWriter: writer } = provider;
      const before = await writer.readOptions(guest);
      const policy = before.value.policy_out === 'REJECT' ? 'ACCEPT' : 'REJECT';
      await writer.setOptions(guest, { policy_out: policy }, before.digest);
      const after = await writer.readOptions(guest);
      expect(after.value).toEqual({ ...before.value, policy_out: policy });
      await expect(writer.setOptions(guest, { policy_out: 'DROP' }, before.digest)).rejects.toMatchObject({
        code: 'conflict',
      });
      const own = before.value.policy_out as 'ACCEPT' | 'DROP' | 'REJECT' | undefined;
      await writer.setOptions(guest, { policy_out: own ?? null }, after.digest);
      // An option that was not stored is not stored again.
      expect((await writer.readOptions(guest)).value).toEqual(before.value);
    });

    it('sets the flag of an interface and keeps everything else of it', async () => {
      const before = await provider.inventory.readGuestConfig(guest);
      const [nic] = before.nics;
      if (!nic) return;
      const { firewallWriter: writer } = provider;
      expect(await writer.setNicFirewall(guest, nic.name, nic.firewall)).toEqual({ outcome: 'unchanged' });
      expect(await writer.setNicFirewall(guest, nic.name, !nic.firewall)).toEqual({ outcome: 'set' });
      const changed = await provider.inventory.readGuestConfig(guest);
      expect(changed.nics).toEqual(
        before.nics.map((item) =>
          item === nic ? { ...item, firewall: !nic.firewall, raw: expect.any(String) } : item,
        ),
      );
      expect(await writer.setNicFirewall(guest, nic.name, nic.firewall)).toEqual({ outcome: 'set' });
      expect(await writer.setNicFirewall(guest, 'net31', true)).toMatchObject({
        outcome: 'refused',
        reason: 'no_such_nic',
      });
    });
  });
}
