import type { Edit, LeftOnReason, Restoration } from './restoration';

/** A note with what the console needs to say it in another language. */
export type LeftOnNote = { code: LeftOnReason; message: string; remedy: string; edits?: Edit[] };

const NAMES: Record<Edit, string> = {
  rules: 'rules',
  sets: 'IP sets',
  aliases: 'aliases',
  options: 'firewall options',
  interfaces: 'interface flags',
};

/** Why the switches of a guest stay as they are although the last policy left it. */
export function leftOnNotes(restoration: Restoration): LeftOnNote[] {
  if (restoration.kind !== 'left_on') return [];
  const remedy = "Check the workload's firewall in Proxmox VE, and turn it off there if nothing needs it.";
  if (restoration.reason === 'baseline_unknown') {
    const message = 'The firewall stays on because its state before the first policy is not known.';
    return [{ code: 'baseline_unknown', message, remedy }];
  }
  const edits = restoration.edits.map((edit) => NAMES[edit]).join(', ');
  const message = `The firewall stays on because its ${edits} changed since the first policy was applied.`;
  return [{ code: 'edited_since', message, remedy, edits: [...restoration.edits] }];
}
