'use client';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '@/ui/checkbox';
import { Notice } from '@/ui/notice';
import type { SwitchedAt } from './switches';

/** Places that are named for each kind; the preview below shows all of them. */
const NAMED = 8;

type Props = { switches: readonly SwitchedAt[]; isTicked: boolean; onTick: (isTicked: boolean) => void };

/** The switches that an apply changes, which affect all traffic of a workload, with a box to tick. */
export function SwitchConsent({ switches, isTicked, onTick }: Props) {
  const t = useT();
  if (switches.length === 0) return null;
  return (
    <Notice tone="warn" title={t('Switches change')}>
      <ul aria-label={t('Switches')} className="flex flex-col">
        {switches.map(({ key, label, places }) => (
          <li key={key} className="[overflow-wrap:anywhere]">
            <span className="font-medium">{label}</span>{' '}
            <span className="text-sm text-muted">
              {places.slice(0, NAMED).join(', ')}
              {places.length > NAMED && ` ${t('and {n, number} more', { n: places.length - NAMED })}`}
            </span>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox renders the labelled control. */}
      <label className="flex min-h-6 items-center gap-2 pt-1 font-medium">
        <Checkbox checked={isTicked} onCheckedChange={onTick} />
        {t('Change these switches')}
      </label>
    </Notice>
  );
}
