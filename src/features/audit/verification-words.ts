import { formatDateTime } from '@/lib/format';
import type { RouterOutputs } from '@/lib/trpc';

type Verification = RouterOutputs['audit']['verify'];

const REASONS: Record<NonNullable<Verification['broken']>['reason'], string> = {
  missing: 'is missing: it was removed',
  previous_hash: 'does not follow the one before: something between them was removed or changed',
  hash: 'does not match its own hash: it was changed',
  anchor: 'is not the one that was noted down',
  checkpoint: 'is where the trail was cut, but no record in it says so',
};

/** What a verification of the trail found, in a sentence. */
export function verificationText({ checked, broken, pruned }: Pick<Verification, 'checked' | 'broken' | 'pruned'>): {
  tone: 'ok' | 'danger';
  title: string;
  text: string;
} {
  const records = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'}`;
  if (!broken) {
    const cut = pruned
      ? ` Those up to record ${pruned.seq.toLocaleString('en')} were removed on ${formatDateTime(pruned.at)} because their time was up; the trail says so itself.`
      : '';
    return { tone: 'ok', title: 'The trail is unbroken', text: `${records(checked)} checked.${cut}` };
  }
  return {
    tone: 'danger',
    title: 'The trail is broken',
    text: `Record ${broken.seq.toLocaleString('en')} ${REASONS[broken.reason]}. The ${records(checked)} before it are in order.`,
  };
}
