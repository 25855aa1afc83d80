import { z } from 'zod';
import type { AgentBehaviour } from '../state/guest';
import type { ClusterControl } from './cluster-control';

const vmid = z.int().min(100).max(999_999_999);
const node = z.string().min(1);

const nic = z.object({
  bridge: z.string().optional(),
  tag: z.int().optional(),
  firewall: z.boolean().optional(),
  model: z.string().optional(),
  mac: z.string().optional(),
  addresses: z.array(z.string()).optional(),
  extra: z.string().optional(),
});

const recipe = z.object({
  vmid,
  type: z.enum(['qemu', 'lxc']),
  node,
  name: z.string(),
  nics: z.array(nic).max(32),
  state: z.enum(['running', 'stopped', 'paused', 'suspended', 'prelaunch']).optional(),
  tags: z.array(z.string()).optional(),
  pool: z.string().optional(),
  template: z.boolean().optional(),
  agentOption: z.string().optional(),
  cloudInit: z.boolean().optional(),
  containerIp: z.enum(['static', 'dhcp']).optional(),
});

type Action = (cluster: ClusterControl, args: unknown) => unknown;

/** An action whose arguments are checked before it runs. */
const action =
  <S extends z.ZodType>(schema: S, run: (cluster: ClusterControl, args: z.output<S>) => unknown): Action =>
  (cluster, args) =>
    run(cluster, schema.parse(args ?? {}));

const guest = z.object({ vmid });

/** What the control endpoint can do to a cluster, by name. */
export const actions: Record<string, Action> = {
  set_node: action(z.object({ node, reachability: z.enum(['up', 'down', 'refusing', 'silent']) }), (cluster, args) =>
    cluster.setNode(args.node, args.reachability),
  ),
  set_quorum: action(z.object({ quorate: z.boolean() }), (cluster, args) => cluster.setQuorum(args.quorate)),
  set_status_daemon: action(z.object({ node, running: z.boolean() }), (cluster, args) =>
    cluster.setStatusDaemon(args.node, args.running),
  ),
  renew_certificate: action(z.object({ node }), (cluster, args) => cluster.renewCertificate(args.node)),
  set_custom_certificate: action(z.object({ node, installed: z.boolean() }), (cluster, args) =>
    cluster.setCustomCertificate(args.node, args.installed),
  ),
  revoke_token: action(z.object({ token: z.string() }), (cluster, args) => cluster.revokeToken(args.token)),
  create_guest: action(recipe, (cluster, args) => cluster.createGuest(args).vmid),
  reuse_vmid: action(recipe, (cluster, args) => cluster.reuseVmid(args).vmid),
  destroy_guest: action(guest, (cluster, args) => cluster.destroyGuest(args.vmid)),
  clone_guest: action(
    z.object({ vmid, new_vmid: vmid, name: z.string() }),
    (cluster, args) => cluster.cloneGuest(args.vmid, args.new_vmid, args.name).vmid,
  ),
  migrate: action(z.object({ vmid, node }), (cluster, args) => cluster.migrate(args.vmid, args.node)),
  lock_guest: action(z.object({ vmid, lock: z.string().optional() }), (cluster, args) =>
    cluster.lockGuest(args.vmid, args.lock),
  ),
  set_run_state: action(
    z.object({ vmid, state: z.enum(['running', 'stopped', 'paused', 'suspended', 'prelaunch']) }),
    (cluster, args) => cluster.setRunState(args.vmid, args.state),
  ),
  set_tags: action(z.object({ vmid, tags: z.array(z.string()) }), (cluster, args) =>
    cluster.setTags(args.vmid, args.tags),
  ),
  set_config: action(z.object({ vmid, options: z.record(z.string(), z.string().nullable()) }), (cluster, args) =>
    cluster.setConfig(
      args.vmid,
      Object.fromEntries(Object.entries(args.options).map(([name, value]) => [name, value ?? undefined])),
    ),
  ),
  set_agent: action(
    z.object({
      vmid,
      agent: z.discriminatedUnion('kind', [
        z.looseObject({ kind: z.enum(['not-running', 'timeout', 'hung', 'disconnect']) }),
        z.object({ kind: z.literal('ok'), interfaces: z.array(z.looseObject({ name: z.string() })) }),
        z.object({ kind: z.literal('error'), class: z.string(), desc: z.string() }),
        z.object({ kind: z.literal('raw'), result: z.unknown() }),
      ]),
    }),
    (cluster, args) => cluster.setAgent(args.vmid, args.agent as AgentBehaviour),
  ),
  insert_rule: action(z.object({ vmid, line: z.string(), position: z.int().min(0).optional() }), (cluster, args) =>
    cluster.firewall.insertRule(args.vmid, args.line, args.position),
  ),
  set_firewall_file: action(z.object({ path: z.string(), text: z.string().nullable() }), (cluster, args) =>
    cluster.firewall.setFile(args.path, args.text ?? undefined),
  ),
  firewall_file: action(z.object({ path: z.string() }), (cluster, args) => cluster.firewall.file(args.path) ?? null),
  store_dormant: action(
    z.object({
      vmid,
      rules: z.array(z.string()).optional(),
      sets: z.record(z.string(), z.array(z.string())).optional(),
      options: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    }),
    (cluster, { vmid: id, ...content }) => cluster.firewall.storeDormant(id, content),
  ),
  enforcement: action(guest, (cluster, args) => cluster.enforcement.view(args.vmid)),
  node_compile: action(z.object({ node }), (cluster, args) => cluster.enforcement.compileOf(args.node)),
  hold_lock: action(z.object({ name: z.string(), ms: z.number() }), (cluster, args) =>
    cluster.firewall.holdLock(args.name, args.ms),
  ),
  append_log: action(z.object({ node, lines: z.array(z.string()) }), (cluster, args) =>
    cluster.firewall.appendLog(args.node, ...args.lines),
  ),
  guest_config: action(guest, (cluster, args) => cluster.guest(args.vmid).configText),
  load: action(z.object({}), (cluster) => cluster.load.all()),
};
