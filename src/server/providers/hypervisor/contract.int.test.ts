import { startSimulator } from '@fabric/simulator/http-server';
import type { PveVersionName } from '@fabric/simulator/pve-version';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { describe, it } from 'vitest';
import { type ContractTarget, describeProviderContract } from './contract.suite';
import { describeFirewallContract } from './contract-firewall.suite';
import { realTarget } from './pve/testing/real-target.fixture';

async function simulated(version: PveVersionName): Promise<ContractTarget> {
  const clusters = smallLab.clusters.map((cluster) => ({ ...cluster, version }));
  const simulator = await startSimulator({ scenario: { ...smallLab, clusters }, timeScale: 20 });
  const { nodes, tokens } = simulator.cluster();
  const [first, ...others] = nodes;
  return {
    access: {
      key: `contract-${version}`,
      api_url: first?.url ?? '',
      api_token: tokens.manager,
      tls_fingerprint: first?.fingerprint256 ?? null,
      tls_ca: null,
      entry_points: others.map(({ name, url, fingerprint256 }) => ({ node: name, url, fingerprint: fingerprint256 })),
    },
    allowTargets: ['127.0.0.0/8'],
    close: () => simulator.close(),
  };
}

for (const version of ['pve9', 'pve8', 'pve8Old'] as const) {
  describeProviderContract(`simulated ${version}`, () => simulated(version));
  for (const vmid of [102, 200]) {
    describeFirewallContract(`simulated ${version}, guest ${vmid}`, async () => ({
      ...(await simulated(version)),
      vmid,
    }));
  }
}

// biome-ignore lint/style/noProcessEnv: the only way to name a machine of the person who runs the tests
const real = realTarget(process.env);
if (real) {
  const target = async (): Promise<ContractTarget> => ({
    access: {
      key: 'contract-real',
      api_url: real.url,
      api_token: real.token,
      tls_fingerprint: real.fingerprint,
      tls_ca: null,
      entry_points: [],
    },
    allowTargets: [...real.allow_targets],
    close: async () => {},
  });
  describeProviderContract(`real cluster at ${real.url}`, target);
  for (const vmid of real.writable) {
    describeFirewallContract(`real cluster at ${real.url}, guest ${vmid}`, async () => ({ ...(await target()), vmid }));
  }
} else {
  describe('provider contract: real cluster', () => {
    it.skip('set PVE_TEST_URL and PVE_TEST_TOKEN to read one, PVE_TEST_WRITABLE to write to guests of it', () => {});
  });
}
