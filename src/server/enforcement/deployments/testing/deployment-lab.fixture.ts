import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { ApplyResult, Deployment, DeploymentGuest } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import { makePolicyLab, type PolicyLab } from '@/server/enforcement/policies/testing/policy-lab.fixture';
import { queueBackend } from '@/server/jobs/backend';
import { directProvider, type Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import { runDeployment } from '../run-deployment';

export const FIVE = [100, 101, 102, 105, 200];
/** Set again for each test: numbers are unique only within a cluster. */
export let DEFINITION = {
  enforcement_mode: 'enforced',
  direction: 'in',
  sources: [''],
  targets: [''],
  default_action: 'none',
};
export const at = (vmid: number) => `vmid:${lab.cluster.id}/${vmid}`;
export const RULES = [
  { action: 'accept', protocol: 'tcp', destination_ports: ['22'] },
  { action: 'drop', protocol: 'tcp', destination_ports: ['23'] },
];

/** The lab of the test that runs. */
export let lab: PolicyLab;

/** Gives each test of the file a lab whose deployments go straight to the simulated API, and a queue without Redis. */
export function prepareDeploymentLab(): void {
  vi.stubEnv('REDIS_URL', '');
  beforeAll(() => queueBackend.prepare());
  beforeEach(setUp);
  afterEach(() => lab.close());
}

async function setUp(): Promise<void> {
  // Sign-ins last a quarter of an hour of the lab's own time.
  lab = await makePolicyLab({ timeScale: 2 });
  DEFINITION = { ...DEFINITION, sources: ['10.20.22.0/24'], targets: FIVE.map(at) };
}
export const create = (changes: object = {}) => lab.create({ definition: DEFINITION, rules: RULES, ...changes });
export const run = (id: string, interfere?: Interference, signal = new AbortController().signal) =>
  runDeployment(id, {
    signal,
    openProvider: () => directProvider(lab.control, interfere && { interfere }),
    pause: async () => {},
  });
export async function post<T>(path: string, body?: object): Promise<{ status: number; body: T }> {
  return lab.json(path, { method: 'POST', ...(body && { body }) });
}
export const get = async <T>(path: string): Promise<T> => (await lab.json(path)).body;
export const waiting = async (policy: Policy): Promise<string[]> =>
  (
    await lab.sql<{ id: string }[]>`
      select id from deployments where policy_id = ${policy.id} and status in ('queued', 'running') order by id`
  ).map(({ id }) => id);
/** Asks for an apply and carries it out. */
export async function apply(policy: Policy, interfere?: Interference): Promise<Deployment> {
  const { status, body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
  expect(status).toBe(202);
  expect(body).toMatchObject({ policy_mode: 'enforced', finished: false, success: false, dry_run: false });
  const id = body.clusters[0]?.deployment_id ?? '';
  await run(id, interfere);
  return get(`/deployments/${id}`);
}
export const readGuestResults = async (id: string) =>
  (await get<{ items: DeploymentGuest[] }>(`/deployments/${id}/guests?limit=500`)).items;
export const lines = (vmid: number) =>
  (lab.control.firewall.guestFile(vmid) ?? '').split('\n').filter((line) => /^\|?(?:IN|OUT|GROUP) /.test(line));
export const policyRuleLines = (vmid: number, policy: Policy) =>
  lines(vmid).filter((line) => line.includes(`p=${policy.id} `));
export const unmanagedRuleLines = (vmid: number) => lines(vmid).filter((line) => !line.includes('[fabric '));
/** What is stored of a guest's switches: options in order, and the flags of its interfaces. */
export const switches = (vmid: number) => ({
  options: (lab.control.firewall.guestFile(vmid) ?? '')
    .split('\n')
    .filter((line) => /^[a-z_]+: /.test(line))
    .sort(),
  flags: lab.control
    .guest(vmid)
    .configText.split('\n')
    .filter((line) => line.startsWith('net'))
    .map((line) => [line.split(':')[0], /firewall=1/.test(line)]),
});
/** Calls `hook` before each write, with its number. */
export const beforeWrites = (hook: (write: number) => unknown): Interference =>
  (() => {
    let writes = 0;
    return async (request, execute) => {
      if (request.method !== 'GET') await hook(++writes);
      return execute();
    };
  })();
