import { describe, expect, it } from 'vitest';
import type { ProviderErrorCode } from '../../errors';
import { providerText } from '../answers/fields';
import { AnswerError, fieldErrors } from './classify';

/** What the hypervisor says, word for word, and what it means. */
const MESSAGES: [number, string, ProviderErrorCode][] = [
  [401, 'Authentication failed!', 'unauthorized'],
  [401, 'No ticket', 'unauthorized'],
  [401, 'invalid token value!', 'unauthorized'],
  [401, '', 'unauthorized'],
  [403, 'Permission check failed (/vms/100, VM.Config.Network)', 'forbidden'],
  [403, 'Permission check failed (user != root@pam)', 'forbidden'],
  [403, 'Permission check failed', 'forbidden'],
  [400, 'Parameter verification failed.', 'invalid_parameter'],
  [500, 'detected modified configuration - file changed by other user? Try again.', 'conflict'],
  [500, 'checksum mismatch (file change by other user?)', 'conflict'],
  [500, 'no rule at position 7', 'conflict'],
  [500, "no such IPSet 'a'", 'not_found'],
  [500, "no such security group 'web'", 'not_found'],
  [500, "cfs-lock 'firewall-vm-100' error: got lock request timeout", 'locked'],
  [500, "cfs-lock 'firewall-vm-100' error: no quorum!", 'no_quorum'],
  [500, "Configuration file 'nodes/a/qemu-server/100.conf' does not exist", 'not_found'],
  [500, 'VM is locked (backup)', 'locked'],
  [500, 'CT is locked (snapshot-delete)', 'locked'],
  [500, "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout", 'locked'],
  [500, 'No QEMU guest agent configured', 'agent_unavailable'],
  [500, 'VM 100 is not running', 'not_running'],
  [500, 'QEMU guest agent is not running', 'agent_unavailable'],
  [500, "VM 100 qga command 'guest-network-get-interfaces' failed - got timeout", 'agent_unavailable'],
  [500, "VM 100 qmp command 'guest-network-get-interfaces' failed - got timeout", 'agent_unavailable'],
  [
    500,
    "VM 100 qga command 'guest-ping' failed - unable to connect to VM 100 qga socket - timeout after 31 retries",
    'agent_unavailable',
  ],
  [595, 'Connection refused', 'node_unreachable'],
  [595, '', 'node_unreachable'],
  [596, 'tls_process_server_certificate: certificate verify failed', 'node_unreachable'],
  [596, 'Connection timed out', 'node_unreachable'],
  [599, 'Too many redirections', 'node_unreachable'],
  [500, "hostname lookup 'pve9' failed - failed to get address info for: pve9", 'node_unreachable'],
  [500, 'ipcc_send_rec[4] failed: Connection refused', 'server_error'],
  [501, "Method 'GET /nope' not implemented", 'server_error'],
  [502, 'Bad Gateway', 'bad_answer'],
  [404, 'Not Found', 'bad_answer'],
  [500, 'something nobody has seen before', 'server_error'],
  [999, '', 'server_error'],
];

describe('what the cluster says', () => {
  it.each(MESSAGES)('%i %s means %s', (status, text, code) => {
    const error = new AnswerError({ status, text });
    expect(error.code).toBe(code);
    expect(error.remedy).toMatch(/^[A-Z`].*\.$/);
    expect(error.message).not.toMatch(/\$\d|\(\)/);
    expect(error.detail).toMatchObject({ status, providerMessage: text });
  });

  it('names privilege, path and lock', () => {
    const forbidden = new AnswerError({ status: 403, text: 'Permission check failed (/vms/100, VM.Audit|VM.Monitor)' });
    expect(forbidden.message).toContain('lacks VM.Audit|VM.Monitor on /vms/100');
    expect(new AnswerError({ status: 500, text: 'VM is locked (backup)' }).message).toContain('locked (backup)');
    expect(new AnswerError({ status: 500, text: 'VM is locked' }).message).toBe(
      'The guest is locked (500 VM is locked)',
    );
  });

  it('has a limited length and no control characters', () => {
    expect(providerText(`a\nb\u2028c\u0000d${'x'.repeat(5000)}`)).toMatch(/^a b c dx{492}…$/);
    expect(fieldErrors({ a: 'b\n', c: 5 })).toEqual({ a: 'b' });
    expect(fieldErrors('text')).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, 'x']));
    expect(Object.keys(fieldErrors(many) ?? {})).toHaveLength(20);
  });
});
