import type { ProviderErrorCode } from '../../errors';

/** How an answer that is not a success is understood. The first rule whose status and text fit decides. */
export type ErrorRule = {
  code: ProviderErrorCode;
  /** Inclusive range of HTTP statuses. */
  status: readonly [number, number];
  /** Tested against the server's own words. */
  text: RegExp;
  /** A sentence in the administrator's terms; groups of `text` may be used as `$1`, `$2`. */
  says: string;
  remedy: string;
  /** The same read may succeed a moment later. */
  passing?: boolean;
};

const QUIET_MOMENT = 'This usually passes within a minute. Fabric retries the operation.';

export const ERROR_RULES: readonly ErrorRule[] = [
  {
    code: 'unauthorized',
    status: [401, 401],
    text: /no ticket/i,
    says: 'The cluster did not recognize the API token',
    remedy: 'Check the token: its format is user@realm!name=secret, without quotes or spaces.',
  },
  {
    code: 'unauthorized',
    status: [401, 401],
    text: /^/,
    says: 'The cluster rejected the API token',
    remedy:
      'Check the token ID and secret, and under Datacenter → Permissions that neither the user nor the token is disabled or expired. Then save the token again.',
  },
  {
    code: 'forbidden',
    status: [403, 403],
    text: /Permission check failed \(user != root@pam\)/,
    says: 'Only root@pam itself is permitted to do this, not an API token',
    remedy: 'Do it on the node as root.',
  },
  {
    code: 'forbidden',
    status: [403, 403],
    text: /Permission check failed \(([^,)]+), ([^)]+)\)/,
    says: 'The API token lacks $2 on $1',
    remedy: 'Grant a role with $2 on $1 (propagating) to the token, and to its user if privileges are separated.',
  },
  {
    code: 'forbidden',
    status: [403, 403],
    text: /^/,
    says: 'The API token is not permitted to do this',
    remedy: 'Run the cluster check: it lists each missing privilege and where to grant it.',
  },
  {
    code: 'invalid_parameter',
    status: [400, 400],
    text: /^/,
    says: 'The cluster rejected a value',
    remedy: 'Correct the named field. If Fabric set the value, report this message.',
  },
  {
    code: 'no_quorum',
    status: [500, 500],
    text: /no quorum!?/i,
    says: 'The cluster has no quorum and is read-only',
    remedy:
      'Bring enough nodes back online; `pvecm status` on a node shows the votes. Nothing is written until the cluster has quorum.',
  },
  {
    code: 'locked',
    status: [500, 500],
    text: /^(?:VM|CT) is locked(?: \(([^)]+)\))?/,
    says: 'The guest is locked ($1)',
    remedy:
      'Wait until the running task (backup, migration, snapshot …) has ended. Remove a stale lock with `qm unlock` or `pct unlock`.',
  },
  {
    code: 'locked',
    status: [500, 500],
    text: /cfs-lock '([^']+)' error: got lock request timeout|can't lock file '([^']+)'.*got timeout/i,
    says: 'Another writer holds the lock $1$2',
    remedy: 'Fabric retries later. If it persists, look for a hanging task on this node.',
  },
  {
    code: 'conflict',
    status: [500, 500],
    text: /detected modified configuration|checksum mismatch \(file change/i,
    says: 'Someone else changed the configuration at the same time',
    remedy: 'Fabric reads the configuration again before the next attempt. Nothing was overwritten.',
  },
  {
    code: 'conflict',
    status: [500, 500],
    text: /no rule at position (\d+)/i,
    says: 'The rule list changed: there is no rule at position $1',
    remedy: 'Fabric reads the configuration again before the next attempt. Nothing was overwritten.',
  },
  {
    code: 'not_found',
    status: [500, 500],
    text: /Configuration file '([^']+)' does not exist/i,
    says: '$1 does not exist',
    remedy: 'The workload was deleted or moved to another node. The next sync updates the inventory.',
  },
  {
    code: 'not_found',
    status: [500, 500],
    text: /no such (IPSet|security group|alias) '([^']*)'|(vnet|zone|subnet) '?([^' ]*)'? does not exist/i,
    says: 'There is no $1$3 $2$4',
    remedy: 'It was deleted or renamed on the cluster. The next sync updates the inventory.',
  },
  {
    code: 'agent_unavailable',
    status: [500, 500],
    text: /No QEMU guest agent configured/i,
    says: 'The guest agent is not enabled for this VM',
    remedy: 'Enable it under Options → QEMU Guest Agent and install qemu-guest-agent inside the guest.',
  },
  {
    code: 'agent_unavailable',
    status: [500, 500],
    text: /QEMU guest agent is not running|(?:qga|qmp) command '[^']*' failed/i,
    says: 'The guest agent does not respond',
    remedy: 'Check that qemu-guest-agent runs inside the guest. After a start, this can take two minutes.',
  },
  {
    code: 'not_running',
    status: [500, 500],
    text: /^(?:VM|CT) (\d+) (?:is )?not running/,
    says: 'Workload $1 is not running',
    remedy: 'Start the workload if this information is needed.',
  },
  {
    code: 'node_unreachable',
    status: [500, 500],
    text: /hostname lookup '([^']+)' failed|no such cluster node '([^']+)'/i,
    says: 'The cluster cannot resolve its node $1$2',
    remedy: 'The node was removed, or its name is missing in /etc/hosts of the queried node.',
  },
  {
    code: 'server_error',
    status: [500, 500],
    text: /ipcc_send_rec|RPCEnvironment init request failed|Connection refused|Broken pipe/i,
    says: 'The cluster file system of the node does not respond',
    remedy: `This happens while a node is upgraded or restarted. ${QUIET_MOMENT} If it persists, check the pve-cluster service.`,
    passing: true,
  },
  {
    code: 'node_unreachable',
    status: [596, 596],
    text: /certificate verify failed/i,
    says: 'The queried node does not trust the certificate of the target node',
    remedy: 'Run `pvecm updatecerts` on the target node, then reload its pveproxy.',
  },
  {
    code: 'node_unreachable',
    status: [596, 596],
    text: /^/,
    says: 'The target node did not respond to the queried node',
    remedy: `Check the load of the target node and its pveproxy and pvedaemon services. ${QUIET_MOMENT}`,
    passing: true,
  },
  {
    code: 'node_unreachable',
    status: [595, 599],
    text: /^/,
    says: 'The target node cannot be reached from the queried node',
    remedy: 'Check that the target node is online and connected to the cluster network.',
  },
  {
    code: 'server_error',
    status: [501, 501],
    text: /not implemented/i,
    says: 'This Proxmox VE version does not support the API call',
    remedy: 'Proxmox VE 8 and 9 are supported. Update older nodes.',
  },
  {
    code: 'bad_answer',
    status: [502, 504],
    text: /^/,
    says: 'A proxy in front of the API answered instead',
    remedy: 'Enter the address of a node, for example https://pve1.example.org:8006, without a proxy in between.',
  },
  {
    code: 'server_error',
    status: [500, 999],
    text: /^/,
    says: 'The cluster returned an error',
    remedy: 'Check the task log and `journalctl -u pvedaemon -u pveproxy` on the node.',
  },
  {
    code: 'bad_answer',
    status: [100, 499],
    text: /^/,
    says: 'The response is not a Proxmox VE API response',
    remedy: 'Check that the address leads directly to the Proxmox VE API (port 8006), without a proxy.',
  },
];
