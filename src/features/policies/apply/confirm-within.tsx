'use client';
import { formatDuration } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '@/ui/checkbox';
import { Select } from '@/ui/select';

/** Seconds to choose from; 0 is no timer. Others are set in a change. */
const CHOICES = [120, 300, 600, 1800, 3600, 0] as const;

const toLabel = (t: Translate, seconds: number): string =>
  seconds === 0 ? t('No timer') : t('after {duration}', { duration: formatDuration(seconds * 1000) });

type Props = { seconds: number; isLogged: boolean; onChange: (seconds: number, isLogged: boolean) => void };

/** After which time what is applied is rolled back by itself, and whether new rules are logged until it is confirmed. */
export function ConfirmWithin({ seconds, isLogged, onChange }: Props) {
  const t = useT();
  const label = t('Rolled back unless confirmed');
  return (
    <div className="mr-auto flex flex-wrap items-center gap-x-2 gap-y-1">
      <span aria-hidden>{label}</span>
      <Select
        aria-label={label}
        className="!w-36"
        value={String(seconds)}
        onValueChange={(value) => onChange(Number(value), isLogged)}
        options={CHOICES.map((value) => ({ value: String(value), label: toLabel(t, value) }))}
      />
      {seconds > 0 && (
        // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox renders the labelled control.
        <label className="flex min-h-6 items-center gap-2">
          <Checkbox checked={isLogged} onCheckedChange={(checked) => onChange(seconds, checked)} />
          {t('Log new rules')}
        </label>
      )}
    </div>
  );
}
