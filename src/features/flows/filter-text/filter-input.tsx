'use client';
import clsx from 'clsx';
import { ListFilter, X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { completeFilter } from '@/domain/filter-language/complete';
import { formatCondition } from '@/domain/filter-language/format';
import { type FilterProblem, MAX_FILTER_TEXT, parseFilter } from '@/domain/filter-language/parse';
import { getValueKind } from '@/domain/filter-language/values';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '@/ui/button';
import { readPastedLine, TextInput } from '@/ui/text-input';
import { formatConversationFilter } from '../../shared/flows/conversations-path';
import { useOptions } from './use-options';

const EXAMPLE = formatConversationFilter({ client: ['10.0.0.0/24'], protocol: 'tcp', ports: ['443'] });

type Props = {
  /** The filter as the URL has it. */
  value: string;
  onValueChange: (text: string) => void;
};

const EXPECTED: Record<FilterProblem['expected'], string> = {
  field: msg('Character {n}: a field is expected, such as client or service.'),
  operator: msg('Character {n}: an operator is expected after {field}.'),
  value: msg('Character {n}: a value of {field} is expected, such as {example}.'),
  connective: msg('Character {n}: “and” or “or” is expected.'),
  list: msg('Character {n}: a list such as (a, b) is expected.'),
  close: msg('Character {n}: a closing parenthesis is expected.'),
  quote: msg('Character {n}: a closing quotation mark is expected.'),
  shorter: msg('The filter is too long. Use fewer values or parentheses.'),
};

/** What a text needs at the place of its problem. */
const getProblemText = (t: Translate, { expected, field, start }: FilterProblem): string =>
  t(EXPECTED[expected], { n: start + 1, field, example: getValueKind(field ?? '')?.examples[0] });

const findProblem = (text: string): FilterProblem | null => {
  if (text.trim() === '') return null;
  const parsed = parseFilter(text);
  return 'problem' in parsed ? parsed.problem : null;
};

/** In one form, as buttons write it. */
const toCanonical = (text: string): string => {
  const parsed = parseFilter(text);
  return 'condition' in parsed ? formatCondition(parsed.condition) : text.trim();
};

/** A filter as text: what can follow is offered while it is typed; Enter applies it, or marks what is wrong with it. */
export function FilterInput({ value, onValueChange }: Props) {
  const t = useT();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(value);
  const [cursor, setCursor] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const [scroll, setScroll] = useState(0);
  // An invalid text of a link is marked when the page opens.
  const [problem, setProblem] = useState(() => findProblem(value));
  const [settled, setSettled] = useState(value);
  if (value !== settled) {
    setSettled(value);
    setDraft(value);
    setProblem(findProblem(value));
  }
  const completion = cursor === null ? null : completeFilter(draft, cursor);
  const options = useOptions(completion);
  const isOpen = options.length > 0;

  const change = (text: string, at: number | null) => {
    setDraft(text);
    setCursor(at);
    setChosen(-1);
    setProblem(null);
  };
  const apply = (text: string) => {
    const found = findProblem(text);
    setCursor(null);
    setProblem(found);
    if (found) return;
    const next = text.trim() === '' ? '' : toCanonical(text);
    setDraft(next);
    setSettled(next);
    if (next !== value) onValueChange(next);
  };
  const accept = (option: string) => {
    if (!completion) return;
    const rest = draft.slice(completion.to);
    const before = `${draft.slice(0, completion.from)}${option}${rest.startsWith(' ') ? '' : ' '}`;
    // The text is there before the cursor moves, and both before the next key.
    flushSync(() => change(before + rest, before.length));
    input.current?.setSelectionRange(before.length, before.length);
  };
  const replaceProblem = ({ start, end, nearest }: FilterProblem) => {
    const text = `${draft.slice(0, start)}${nearest}${draft.slice(end)}`;
    change(text, null);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && isOpen) {
      event.preventDefault();
      setChosen((now) => (now < 0 && step < 0 ? options.length - 1 : (now + step + options.length) % options.length));
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      setCursor(event.currentTarget.selectionStart);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const option = options[chosen];
      if (option === undefined) apply(draft);
      else accept(option);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setCursor(null);
    }
  };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="relative">
        <TextInput
          ref={input}
          mono
          role="combobox"
          aria-label={t('Filter conversations')}
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-options` : undefined}
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={problem !== null || undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          data-invalid={problem ? '' : undefined}
          placeholder={EXAMPLE}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={MAX_FILTER_TEXT}
          value={draft}
          className="w-full max-md:min-h-11"
          onChange={(event) => change(event.target.value, event.target.selectionStart)}
          onFocus={(event) => setCursor(event.target.selectionStart)}
          onClick={(event) => setCursor(event.currentTarget.selectionStart)}
          onBlur={() => setCursor(null)}
          onScroll={(event) => setScroll(event.currentTarget.scrollLeft)}
          onPaste={(event) => {
            const pasted = readPastedLine(event);
            if (pasted !== null) change(pasted, null);
          }}
          onKeyDown={onKeyDown}
          leading={<ListFilter size={14} aria-hidden />}
          trailing={
            draft !== '' && (
              <IconButton size="sm" label={t('Clear filter')} icon={<X size={14} />} onClick={() => apply('')} />
            )
          }
        />
        {problem && <Mark text={draft} problem={problem} scroll={scroll} />}
        {isOpen && (
          <div
            id={`${id}-options`}
            role="listbox"
            aria-label={t('Suggestions')}
            className="popup absolute top-full left-0 z-(--layer-overlay) mt-1 max-h-72 min-w-56 max-w-full overflow-y-auto p-1"
          >
            {options.map((option, index) => (
              <div
                key={option}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === chosen}
                className={clsx(
                  'mono cursor-default truncate rounded-sm px-2 py-1 max-md:py-2.5',
                  index === chosen ? 'bg-accent-soft' : 'hover:bg-surface-2',
                )}
                // The field keeps the focus.
                onMouseDown={(event) => {
                  event.preventDefault();
                  accept(option);
                }}
              >
                {option}
              </div>
            ))}
          </div>
        )}
      </div>
      {problem && (
        <p id={`${id}-problem`} role="alert" className="flex flex-wrap items-center gap-2 text-sm text-danger">
          {getProblemText(t, problem)}
          {problem.nearest && (
            <Button size="sm" onClick={() => replaceProblem(problem)}>
              {t('Replace with {word}', { word: problem.nearest })}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** Underlines the place of a problem over the text of the field; at the end of the text, the place after it. */
function Mark({ text, problem, scroll }: { text: string; problem: FilterProblem; scroll: number }) {
  const { start, end } = problem;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 right-9 left-7 flex items-center overflow-hidden"
    >
      <span className="mono whitespace-pre text-transparent" style={{ transform: `translateX(${-scroll}px)` }}>
        {text.slice(0, start)}
        <span className="underline decoration-2 decoration-danger decoration-wavy underline-offset-4">
          {text.slice(start, end) || ' '}
        </span>
      </span>
    </div>
  );
}
