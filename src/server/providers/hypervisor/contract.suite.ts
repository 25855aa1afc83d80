import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProvider } from './registry';
import type { ClusterAccess, GuestFact, HypervisorProvider } from './types';

/** A cluster to hold the contract against. */
export type ContractTarget = {
  access: ClusterAccess;
  /** CIDRs that may be connected to although they are loopback and the like. */
  allowTargets: string[];
  close: () => Promise<void>;
};

/** Enough guests to see every kind of configuration, few enough for a busy real cluster. */
const MAX_CONFIGS = 25;
const WRONG_FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':');

/**
 * What every provider promises, whatever the cluster holds. It only reads. The token must at least be able to sign in;
 * promises that need more are checked against what the answers say about their own completeness.
 */
export function describeProviderContract(name: string, open: () => Promise<ContractTarget>): void {
  describe(`provider contract: ${name}`, () => {
    let target: ContractTarget;
    let provider: HypervisorProvider;
    let guests: GuestFact[];

    beforeAll(async () => {
      target = await open();
      provider = createProvider(target.access, target);
      guests = (await provider.inventory.listGuests()).items;
    });
    afterAll(async () => {
      provider?.close();
      await target?.close();
    });

    const other = async (
      changes: Partial<ClusterAccess>,
      use: (provider: HypervisorProvider) => Promise<void>,
      allowTargets = target.allowTargets,
    ) => {
      const access = { ...target.access, key: `${target.access.key}-other`, ...changes };
      const changed = createProvider(access, { allowTargets });
      try {
        await use(changed);
      } finally {
        changed.close();
      }
    };

    it('checks an access line by line, each with a remedy unless it is all right', async () => {
      const report = await provider.preflight.check();
      const names = report.checks.map((check) => check.name);
      expect(new Set(names).size).toBe(names.length);
      const promised = [
        'target',
        'reachable',
        'tls',
        'sign_in',
        'version',
        'token',
        'quorum',
        'nodes',
        'guests',
        'firewall',
        'clock',
      ];
      expect(names).toEqual(expect.arrayContaining(promised));
      expect(names.filter((check) => check.startsWith('privilege:')).length).toBeGreaterThanOrEqual(5);
      for (const check of report.checks) {
        expect(check.detail).not.toBe('');
        if (check.status !== 'ok') expect(check.remedy).toEqual(expect.any(String));
      }
      expect(report.checks.find((check) => check.name === 'sign_in')?.status).toBe('ok');
      expect(report.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
      expect(report.version).toMatch(/^\d+\.\d+/);
    });

    it('tells the cluster, and a CA only when it is one', async () => {
      const cluster = await provider.inventory.readCluster();
      expect(cluster.version).toMatch(/^\d+\.\d+/);
      if (cluster.tls_ca !== null) expect(cluster.tls_ca).toMatch(/^-----BEGIN CERTIFICATE-----/);
    });

    it('lists every node once, with the certificate of those that are online', async () => {
      const { items, complete } = await provider.inventory.listNodes();
      expect(complete).toBe(true);
      expect(items.length).toBeGreaterThan(0);
      expect(new Set(items.map((node) => node.name)).size).toBe(items.length);
      expect(items.some((node) => node.status === 'online')).toBe(true);
      for (const node of items) {
        if (node.tls_fingerprint !== null) expect(node.tls_fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
      }
    });

    it('lists every guest once, on a node that exists', async () => {
      const nodes = (await provider.inventory.listNodes()).items.map((node) => node.name);
      expect(new Set(guests.map((guest) => guest.vmid)).size).toBe(guests.length);
      for (const guest of guests) {
        expect(guest.external_id).toBe(`${guest.kind}/${guest.vmid}`);
        expect(nodes).toContain(guest.node);
        if (guest.runtime_known)
          expect(guest).toMatchObject({ name: expect.any(String), template: expect.any(Boolean) });
        else expect(guest).toMatchObject({ name: null });
      }
    });

    it('reads the configuration of listed guests, whose cards have names and addresses of their own', async () => {
      for (const guest of guests.slice(0, MAX_CONFIGS)) {
        const config = await provider.inventory.readGuestConfig(guest);
        expect(config.digest).toMatch(/^[0-9a-f]{40}$/);
        const names = config.nics.map((nic) => nic.name);
        expect(new Set(names).size).toBe(names.length);
        for (const nic of config.nics) {
          expect(nic.name).toMatch(/^net\d+$/);
          if (nic.mac !== null) expect(nic.mac).toMatch(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/);
        }
        expect(config.unreadable).toEqual([]);
      }
    });

    it('tells the addresses of guests, or why it cannot', async () => {
      for (const guest of guests.slice(0, MAX_CONFIGS)) {
        const [settings, config] = await Promise.all([
          provider.addresses.readGuestSettings(guest),
          provider.inventory.readGuestConfig(guest),
        ]);
        expect(settings.nics.map(({ name, mac }) => [name, mac])).toEqual(
          config.nics.map(({ name, mac }) => [name, mac]),
        );
        expect(settings.creation_fingerprint).toBe(config.creation_fingerprint);
        if (guest.kind === 'qemu' && !(settings.agent_enabled && guest.status === 'running')) continue;
        try {
          const answer = await provider.addresses.readGuestInterfaces({ ...guest, node: settings.node });
          if (answer === null) expect(guest.kind).toBe('lxc');
          for (const { mac, addresses } of answer?.items ?? []) {
            if (mac !== null) expect(mac).toMatch(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/);
            for (const { address } of addresses ?? []) expect(address).toMatch(/^[0-9a-f.:]+$/);
          }
        } catch (error) {
          expect(['agent_unavailable', 'not_running', 'forbidden', 'bad_answer', 'timeout']).toContain(
            (error as { code?: string }).code,
          );
        }
      }
      const leases = await provider.addresses.listLeases();
      for (const { mac } of leases.items) expect(mac).toMatch(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/);
    });

    it('reads the same twice when nothing changed', async () => {
      const [guest] = guests;
      if (!guest) return;
      const first = await provider.inventory.readGuestConfig(guest);
      const second = await provider.inventory.readGuestConfig(guest);
      if (first.digest === second.digest) expect(second).toEqual(first);
    });

    it('knows what is present, and calls absent only what it could have seen', async () => {
      for (const guest of guests.slice(0, 3)) expect(await provider.inventory.guestPresence(guest)).toBe('present');
      const { complete } = await provider.inventory.listGuests();
      const node = (await provider.inventory.listNodes()).items.find(({ status }) => status === 'online');
      const taken = new Set(guests.map((guest) => guest.vmid));
      const vmid = Array.from({ length: 1000 }, (_, i) => 999_990_000 + i).find((n) => !taken.has(n)) ?? 999_999_999;
      const presence = await provider.inventory.guestPresence({ node: node?.name ?? '', kind: 'qemu', vmid });
      expect(complete ? ['absent'] : ['absent', 'unknown']).toContain(presence);
    });

    it('finds a guest that is asked for on the wrong node', async () => {
      const nodes = (await provider.inventory.listNodes()).items.filter(({ status }) => status === 'online');
      const guest = guests.find(({ node }) => nodes.some(({ name }) => name === node));
      const wrong = nodes.find(({ name }) => name !== guest?.node);
      if (!guest || !wrong) return;
      await expect(provider.inventory.readGuestConfig({ ...guest, node: wrong.name })).resolves.toMatchObject({
        node: guest.node,
      });
    });

    it('lists the networks that the cards of guests are on', async () => {
      const online = (await provider.inventory.listNodes()).items.filter(({ status }) => status === 'online');
      const { networks } = await provider.inventory.listSdn();
      for (const { name } of online) {
        const listing = await provider.inventory.listNodeNetworks(name);
        const known = new Set([...listing.items, ...networks.items].map((network) => network.name));
        for (const network of listing.items) expect(network.node_names).toEqual([name]);
        if (!listing.complete) continue;
        for (const guest of guests.filter(({ node }) => node === name).slice(0, 5)) {
          const { nics, node } = await provider.inventory.readGuestConfig(guest);
          if (node !== name) continue;
          for (const nic of nics) if (nic.bridge !== null) expect(known).toContain(nic.bridge);
        }
      }
    });

    it('lists subnets of listed networks, in canonical form', async () => {
      const { networks, subnets } = await provider.inventory.listSdn();
      const names = networks.items.map(({ name }) => name);
      for (const subnet of subnets.items) {
        expect(names).toContain(subnet.network);
        expect(subnet.cidr).toMatch(/^[0-9a-f.:]+\/\d+$/);
      }
    });

    it('refuses a wrong secret as unauthorized', async () => {
      const api_token = target.access.api_token.replace(/=[^=]*$/, '=00000000-0000-0000-0000-000000000000');
      await other({ api_token }, async ({ inventory }) => {
        await expect(inventory.readCluster()).rejects.toMatchObject({ code: 'unauthorized' });
      });
    });

    it('refuses a certificate that is not the pinned one', async () => {
      await other({ tls_fingerprint: WRONG_FINGERPRINT, tls_ca: null, entry_points: [] }, async ({ inventory }) => {
        await expect(inventory.listNodes()).rejects.toMatchObject({
          code: 'tls_changed',
          detail: { fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}/) },
        });
      });
    });

    it('does not connect to where it may not', async () => {
      await other({ api_url: 'https://169.254.169.254', entry_points: [] }, async ({ inventory }) => {
        await expect(inventory.listNodes()).rejects.toMatchObject({ code: 'target_refused' });
      });
    });

    it('reports what does not answer as unreachable', async () => {
      const away = { api_url: 'https://127.0.0.1:1', entry_points: [] };
      const failing = async (unreachable: HypervisorProvider) => {
        await expect(unreachable.inventory.listNodes()).rejects.toMatchObject({ code: 'unreachable' });
      };
      await other(away, failing, ['127.0.0.0/8']);
    });
  });
}
