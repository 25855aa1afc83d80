import { verifyAuditChain } from '@/server/audit/trail';
import { systemScope } from '@/server/auth/scope';
import { type Command, EXIT, textOption, UsageError } from './command';
import { withInstallation, withServices } from './open-installation';

const REASONS = {
  missing: 'is missing',
  previous_hash: 'does not continue the previous record',
  hash: 'was changed after it was written',
  anchor: 'is not the record of the anchor',
  checkpoint: 'is where the trail was pruned, but no record in the trail confirms that',
};

export const verifyAuditCommand: Command = {
  name: 'verify-audit',
  summary: 'Verify the audit trail: the hash of every record, and that no record is missing.',
  help: `  fabric verify-audit [--anchor SEQ:HASH]

Prints the number of intact records, and an anchor to store outside the database.

--anchor SEQ:HASH  the last line of an earlier run; verifies that the trail up to that record is unchanged`,
  options: { anchor: { type: 'string' } },
  positionals: [],
  async run({ values, terminal }) {
    const text = textOption(values, 'anchor');
    const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text ?? '') ?? [];
    if (text !== null && (seq === undefined || hash === undefined)) {
      throw new UsageError('--anchor requires SEQ:HASH as printed by an earlier run.');
    }
    const anchor = seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : null;
    const result = await withInstallation({}, terminal, (installation) =>
      withServices(installation, () => verifyAuditChain(systemScope('audit:read', 'audit verification'), anchor)),
    );
    if (result.broken) {
      terminal.note(`Broken: record ${result.broken.seq} ${REASONS[result.broken.reason]}.`);
      return EXIT.failed;
    }
    terminal.print(`Intact: ${result.checked} records.`);
    if (result.pruned) {
      terminal.print(
        `Records up to ${result.pruned.seq} were removed at ${result.pruned.at}: their retention had ended.`,
      );
    }
    if (result.last) terminal.print(`${result.last.seq}:${result.last.hash}`);
    if (result.anchor === 'pruned') {
      terminal.note('The record of the anchor has been removed since. Use the anchor above from now on.');
      return EXIT.failed;
    }
    return EXIT.ok;
  },
};
