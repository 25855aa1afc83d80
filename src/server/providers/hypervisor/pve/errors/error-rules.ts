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

const QUIET_MOMENT = 'It usually passes within a minute; the operation is tried again.';

export const ERROR_RULES: readonly ErrorRule[] = [
  {
    code: 'unauthorized',
    status: [401, 401],
    text: /no ticket/i,
    says: 'The cluster did not recognise the API token',
    remedy: 'Check the token: it must read user@realm!name=secret, without quotes or blanks.',
  },
  {
    code: 'unauthorized',
    status: [401, 401],
    text: /^/,
    says: 'The cluster refused the API token',
    remedy:
      'Check the token id and secret, and under Datacenter → Permissions that neither the user nor the token is disabled or expired; then save the token again.',
  },
  {
    code: 'forbidden',
    status: [403, 403],
    text: /Permission check failed \(user != root@pam\)/,
    says: 'Only root@pam itself may do this, no API token',
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
    says: 'The API token may not do this',
    remedy: 'Run the cluster check: it lists each privilege that is missing and where to grant it.',
  },
  {
    code: 'invalid_parameter',
    status: [400, 400],
    text: /^/,
    says: 'The cluster refused a value',
    remedy: 'Correct the named field; if it came from this service, report it together with this message.',
  },
  {
    code: 'no_quorum',
    status: [500, 500],
    text: /no quorum!?/i,
    says: 'The cluster has no quorum and is read-only',
    remedy: 'Bring enough nodes back online; `pvecm status` on a node shows the votes. Nothing is written until then.',
  },
  {
    code: 'locked',
    status: [500, 500],
    text: /^(?:VM|CT) is locked(?: \(([^)]+)\))?/,
    says: 'The guest is locked ($1)',
    remedy:
      'Wait until the running task (backup, migration, snapshot …) has ended; a lock left behind is removed with `qm unlock` or `pct unlock`.',
  },
  {
    code: 'locked',
    status: [500, 500],
    text: /cfs-lock '([^']+)' error: got lock request timeout|can't lock file '([^']+)'.*got timeout/i,
    says: 'Another writer holds the lock $1$2',
    remedy: 'It is tried again later; if it persists, look for a task that hangs on this node.',
  },
  {
    code: 'conflict',
    status: [500, 500],
    text: /detected modified configuration|checksum mismatch \(file change/i,
    says: 'Somebody else changed the configuration in the meantime',
    remedy: 'It is read again before the next attempt; nothing was overwritten.',
  },
  {
    code: 'conflict',
    status: [500, 500],
    text: /no rule at position (\d+)/i,
    says: 'The rule list changed: there is no rule at position $1',
    remedy: 'It is read again before the next attempt; nothing was overwritten.',
  },
  {
    code: 'not_found',
    status: [500, 500],
    text: /Configuration file '([^']+)' does not exist/i,
    says: 'There is no $1',
    remedy: 'The guest was deleted or moved to another node; the next sync finds out which.',
  },
  {
    code: 'not_found',
    status: [500, 500],
    text: /no such (IPSet|security group|alias) '([^']*)'|(vnet|zone|subnet) '?([^' ]*)'? does not exist/i,
    says: 'There is no $1$3 $2$4',
    remedy: 'It was deleted or renamed on the cluster; the next sync finds out.',
  },
  {
    code: 'agent_unavailable',
    status: [500, 500],
    text: /No QEMU guest agent configured/i,
    says: 'The guest agent is not enabled for this virtual machine',
    remedy: 'Enable it under Options → QEMU Guest Agent and install qemu-guest-agent inside the guest.',
  },
  {
    code: 'agent_unavailable',
    status: [500, 500],
    text: /QEMU guest agent is not running|(?:qga|qmp) command '[^']*' failed/i,
    says: 'The guest agent does not answer',
    remedy: 'Check inside the guest that qemu-guest-agent runs; after a start it can take two minutes.',
  },
  {
    code: 'not_running',
    status: [500, 500],
    text: /^(?:VM|CT) (\d+) (?:is )?not running/,
    says: 'Guest $1 is not running',
    remedy: 'Start the guest if this information is needed.',
  },
  {
    code: 'node_unreachable',
    status: [500, 500],
    text: /hostname lookup '([^']+)' failed|no such cluster node '([^']+)'/i,
    says: 'The cluster cannot resolve its node $1$2',
    remedy: 'The node was removed, or its name is missing in /etc/hosts of the node asked.',
  },
  {
    code: 'server_error',
    status: [500, 500],
    text: /ipcc_send_rec|RPCEnvironment init request failed|Connection refused|Broken pipe/i,
    says: 'The cluster file system of the node does not answer',
    remedy: `A node that is being upgraded or restarted does this. ${QUIET_MOMENT} If it persists, check the pve-cluster service.`,
    passing: true,
  },
  {
    code: 'node_unreachable',
    status: [596, 596],
    text: /certificate verify failed/i,
    says: 'The node asked does not trust the certificate of the node meant',
    remedy: 'Run `pvecm updatecerts` on the node meant, then reload its pveproxy.',
  },
  {
    code: 'node_unreachable',
    status: [596, 596],
    text: /^/,
    says: 'The node did not answer the node asked',
    remedy: `Check the load of the node and its pveproxy and pvedaemon services. ${QUIET_MOMENT}`,
    passing: true,
  },
  {
    code: 'node_unreachable',
    status: [595, 599],
    text: /^/,
    says: 'The node cannot be reached from the node asked',
    remedy: 'Check that the node is online and connected to the cluster network.',
  },
  {
    code: 'server_error',
    status: [501, 501],
    text: /not implemented/i,
    says: 'This version of the hypervisor does not know the call',
    remedy: 'Proxmox VE 8 and 9 are supported; update older nodes.',
  },
  {
    code: 'bad_answer',
    status: [502, 504],
    text: /^/,
    says: 'A proxy in front of the API answered in its place',
    remedy: 'Give the address of a node itself, for example https://pve1.example.org:8006, without a proxy in between.',
  },
  {
    code: 'server_error',
    status: [500, 999],
    text: /^/,
    says: 'The cluster reports an error',
    remedy: 'Look at the task log and at `journalctl -u pvedaemon -u pveproxy` on the node.',
  },
  {
    code: 'bad_answer',
    status: [100, 499],
    text: /^/,
    says: 'The answer is not one that the API gives',
    remedy: 'Check that the address leads to the Proxmox VE API (port 8006), directly and without a proxy.',
  },
];
