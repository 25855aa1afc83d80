'use client';
import { useId, useState } from 'react';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { type TimeDisplay, useTimeDisplay } from '@/lib/time/time-display';
import { parseTimeExpression, type RangeProblem } from '@/lib/time/time-expression';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { DateTimeInput } from '@/ui/form/date-time-field';
import type { Option } from '@/ui/option';
import { TextInput } from '@/ui/text-input';
import { DEFAULT_SPAN, SPANS, spanMs, spanText, type TimeRange, timesText } from './time-range';

const PROBLEMS: Record<RangeProblem, string> = {
  unknown: msg('Enter a range such as: yesterday 18:00–22:00, last 15 minutes, 3 Nov 09:00–10:00'),
  no_end: msg('Enter an end too, for example 18:00–19:00'),
  future: msg('This time range has not begun'),
};

const EXAMPLES = [msg('yesterday'), msg('yesterday evening'), msg('this week'), msg('last week')];

type Props = {
  shown: TimeRange;
  optional: boolean;
  spans?: readonly Option[];
  onApply: (range: TimeRange) => void;
};

type Opened = { open: boolean; onOpenChange: (open: boolean) => void };

/** The range that words mean now, or why they mean none. */
function parseRange(t: Translate, words: string, zone: TimeDisplay['zone']): TimeRange | RangeProblem {
  const range = parseTimeExpression(words, { now: Date.now(), zone, dayFirst: t.locale !== 'en' });
  if (typeof range === 'string') return range;
  if ('span' in range) return { range: range.span, since: null, until: null };
  return {
    range: null,
    since: new Date(range.since).toISOString(),
    until: range.until === null ? null : new Date(range.until).toISOString(),
  };
}

const formatRange = (t: Translate, { range, since, until }: TimeRange) =>
  range === null ? timesText(t, since, until) : spanText(t, range);

/** Asks for a range of time. Dialog and form are one piece of code: a form that came after its dialog would not get the focus. */
export function TimeRangeDialog({ open, onOpenChange, ...form }: Props & Opened) {
  const t = useT();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('Time range')} size="md">
      <TimeRangeForm {...form} />
    </Dialog>
  );
}

/** A typed range, a choice, or two times. */
function TimeRangeForm({ shown, optional, spans = SPANS, onApply }: Props) {
  const t = useT();
  const { zone } = useTimeDisplay();
  const [words, setWords] = useState('');
  const [sent, setSent] = useState(false);
  const meant = words.trim() === '' ? null : parseRange(t, words, zone);
  const apply = (range: TimeRange) => {
    const length = spanMs(range.range);
    if (optional && length !== null) {
      return onApply({ range: null, since: new Date(Date.now() - length).toISOString(), until: null });
    }
    onApply(range.range === DEFAULT_SPAN ? { ...range, range: null } : range);
  };
  const isProblem = typeof meant === 'string';
  const choose = (text: string) => {
    const range = parseRange(t, text, zone);
    if (typeof range !== 'string') apply(range);
  };
  return (
    <div className="flex flex-col gap-4">
      <form
        className="flex flex-col gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          setSent(true);
          if (meant && typeof meant !== 'string') apply(meant);
        }}
      >
        <label htmlFor="time-range-typed" className="font-medium">
          {t('Type a time range')}
        </label>
        <TextInput
          id="time-range-typed"
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setSent(false);
          }}
          placeholder={t('yesterday 18:00–22:00')}
          aria-invalid={isProblem && sent ? true : undefined}
          aria-describedby="time-range-meant"
          autoComplete="off"
          spellCheck={false}
        />
        <p
          id="time-range-meant"
          role="status"
          className={`min-h-5 text-sm ${isProblem && sent ? 'text-danger' : 'text-muted'}`}
        >
          {meant === null || typeof meant === 'string'
            ? t(PROBLEMS[meant ?? 'unknown'])
            : t('{range}. Press Enter to show it.', { range: formatRange(t, meant) })}
        </p>
      </form>
      <fieldset className="flex flex-wrap gap-2" aria-label={t('Time ranges')}>
        {spans.map(({ value, label }) => (
          <Button
            key={value}
            size="sm"
            aria-pressed={!optional && shown.since === null && (shown.range ?? DEFAULT_SPAN) === value}
            onClick={() => apply({ range: value, since: null, until: null })}
          >
            {t(label)}
          </Button>
        ))}
        {EXAMPLES.map((text) => (
          <Button key={text} size="sm" onClick={() => choose(text)}>
            {t(text)}
          </Button>
        ))}
      </fieldset>
      <Times shown={shown} zone={zone} optional={optional} onApply={onApply} />
    </div>
  );
}

/** Two times. Lists that show all times take one of them. */
function Times({ shown, zone, optional, onApply }: Omit<Props, 'spans'> & { zone: TimeDisplay['zone'] }) {
  const t = useT();
  const id = useId();
  const [since, setSince] = useState(shown.since);
  const [until, setUntil] = useState(shown.until);
  const reason =
    since !== null && until !== null && Date.parse(since) >= Date.parse(until)
      ? t('The start must be before the end')
      : since === null && (!optional || until === null)
        ? t('Enter a time')
        : null;
  return (
    <form
      className="flex flex-wrap items-end gap-3 border-t pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) onApply({ range: null, since, until });
      }}
    >
      <div className="flex flex-col gap-1">
        <label htmlFor={`${id}-from`} className="font-medium">
          {t('From')}
        </label>
        <DateTimeInput id={`${id}-from`} value={since} onChange={setSince} />
      </div>
      <div className="flex flex-col gap-1">
        <label htmlFor={`${id}-to`}>
          {/* Elsewhere "To" is a direction, which is another word in other languages. */}
          {t.rich('<end>To</end>', { end: (inside) => <span className="font-medium">{inside}</span> })}
        </label>
        <DateTimeInput id={`${id}-to`} value={until} onChange={setUntil} />
      </div>
      <Button type="submit" disabledReason={reason}>
        {t('Show time range')}
      </Button>
      <p className="w-full text-sm text-faint">
        {zone === 'utc' ? t('Times are in UTC.') : t('Times are in the time zone of this browser.')}
      </p>
    </form>
  );
}
