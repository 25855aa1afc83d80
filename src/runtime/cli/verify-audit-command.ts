import { verifyAuditChain } from '@/server/audit/trail';
import { systemScope } from '@/server/auth/scope';
import { type Command, EXIT, textOption, UsageError } from './command';
import { withInstallation, withServices } from './open-installation';

const REASONS = {
  missing: 'is missing',
  previous_hash: 'does not continue the record before it',
  hash: 'was changed after it was written',
  anchor: 'is not the one that the anchor names',
  checkpoint: 'is where the trail was cut, but no record in the trail says so',
};

export const verifyAuditCommand: Command = {
  name: 'verify-audit',
  summary: "Checks the audit trail: every record's hash, and that none is missing.",
  help: `  fabric verify-audit [--anchor SEQ:HASH]

Prints how many records are intact, and an anchor to keep outside the database.

--anchor SEQ:HASH  the last line of an earlier run; proves that the trail up to there is still the same`,
  options: { anchor: { type: 'string' } },
  positionals: [],
  async run({ values, terminal }) {
    const text = textOption(values, 'anchor');
    const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text ?? '') ?? [];
    if (text !== null && (seq === undefined || hash === undefined)) {
      throw new UsageError('--anchor takes SEQ:HASH as an earlier run printed it.');
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
      terminal.print(`Records up to ${result.pruned.seq} were removed at ${result.pruned.at}: their time was up.`);
    }
    if (result.last) terminal.print(`${result.last.seq}:${result.last.hash}`);
    if (result.anchor === 'pruned') {
      terminal.note('The record that the anchor names was removed since. Use the anchor above from now on.');
      return EXIT.failed;
    }
    return EXIT.ok;
  },
};
