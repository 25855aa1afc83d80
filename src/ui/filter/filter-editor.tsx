'use client';
import { Combobox as Base } from '@base-ui/react/combobox';
import { type RefObject, useEffect, useId, useState } from 'react';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '../button';
import { ComboboxStatus, OptionList, toFilterProp } from '../combobox-popup';
import type { Option } from '../option';
import { readPastedLine, TextInput } from '../text-input';
import type { FilterField, FoundOptions, TypedValue } from './filter-field';

/** Applies what is typed when the editor is left; false: it is refused, and the field says why. */
export type Leave = RefObject<(() => boolean) | null>;

type Props = {
  field: FilterField;
  /** Closes it: a single choice was made, or Enter pressed. */
  onDone: () => void;
  leave?: Leave;
  /** Focuses it when it takes the place of the list of fields. */
  autoFocus?: boolean;
};

/** Where the values of one field are chosen or typed: in a popup beside its chip, and in the sheet of a phone. */
export function FilterEditor(props: Props) {
  const { field, onDone } = props;
  const { content, typed, useFound } = field;
  if (content) return <div className="overflow-y-auto p-3">{content(onDone)}</div>;
  if (typed) return <TypedEditor {...props} typed={typed} />;
  return useFound ? <FoundChoices {...props} useFound={useFound} /> : <Choices {...props} options={field.options} />;
}

type FoundProps = Props & { useFound: (text: string) => FoundOptions };

/** Choices that the server finds, below the fixed ones and those that are chosen. */
function FoundChoices({ useFound, ...props }: FoundProps) {
  const [text, setText] = useState('');
  const found = useFound(text);
  const fixed = props.field.options.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));
  const more = found.options.filter(({ value }) => !fixed.some((option) => option.value === value));
  return <Choices {...props} options={[...fixed, ...more]} remote={{ ...found, onSearch: setText }} />;
}

type ChoicesProps = Props & {
  options: readonly Option[];
  remote?: FoundOptions & { onSearch: (text: string) => void };
};

function Choices({ field, options, remote, onDone, autoFocus }: ChoicesProps) {
  const t = useT();
  const { label, value, single = false } = field;
  const chosen = value.map((one) => options.find((option) => option.value === one) ?? { value: one, label: one });
  return (
    <Base.Root<Option, true>
      multiple
      inline
      open
      items={options}
      value={chosen}
      onValueChange={(next, { reason }) => {
        // Esc closes the choices; it must not take them away.
        if (reason === 'escape-key') return;
        field.onValueChange(next.slice(single ? -1 : 0).map((option) => option.value));
        if (single) onDone();
      }}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={toFilterProp(remote)}
      onInputValueChange={remote && ((text) => remote.onSearch(text))}
      autoHighlight
    >
      <div className="flex items-center gap-1 border-b p-1">
        <Base.Input
          autoFocus={autoFocus}
          aria-label={t('Search {label}', { label: lowerLabel(t, label) })}
          placeholder={t('Type to search')}
          className="h-8 min-w-0 flex-1 bg-transparent px-2 outline-none"
        />
        {value.length > 0 && <ClearButton onClear={() => field.onValueChange([])} />}
      </div>
      <OptionList />
      <ComboboxStatus remote={remote} />
    </Base.Root>
  );
}

function ClearButton({ onClear }: { onClear: () => void }) {
  const t = useT();
  return (
    <Button variant="ghost" size="sm" onClick={onClear}>
      {t('Clear')}
    </Button>
  );
}

/** A value that is typed, and checked before it takes effect: with Enter, or when the field is left. */
function TypedEditor({ field, typed, onDone, leave, autoFocus }: Props & { typed: TypedValue }) {
  const t = useT();
  const { label, value } = field;
  const [current = ''] = value;
  const [draft, setDraft] = useState(current);
  const [error, setError] = useState<string | null>(null);
  const errorId = useId();
  const apply = (): boolean => {
    const text = draft.trim();
    const problem = text === '' ? null : (typed.check?.(text) ?? null);
    setError(problem);
    if (problem !== null) return false;
    const next = text === '' ? '' : (typed.format?.(text) ?? text);
    if (next !== current) field.onValueChange(next === '' ? [] : [next]);
    setDraft(next);
    return true;
  };
  useEffect(() => {
    if (!leave) return;
    leave.current = apply;
    return () => {
      leave.current = null;
    };
  });
  return (
    <form
      className="flex flex-col gap-1 p-2"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (apply()) onDone();
      }}
    >
      <div className="flex items-center gap-1">
        <TextInput
          mono
          autoFocus={autoFocus}
          aria-label={label}
          aria-invalid={error !== null || undefined}
          aria-describedby={error === null ? undefined : errorId}
          data-invalid={error === null ? undefined : ''}
          placeholder={typed.placeholder}
          inputMode={typed.inputMode}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={typed.maxLength ?? 200}
          value={draft}
          onChange={(event) => {
            setDraft(event.target.value);
            setError(null);
          }}
          onPaste={(event) => {
            const pasted = readPastedLine(event);
            if (pasted !== null) setDraft(pasted);
          }}
          // A popup asks when it is left; in the sheet nothing else does.
          onBlur={leave ? undefined : () => void apply()}
          className="flex-1"
        />
        <Button type="submit" variant="primary">
          {t('Apply')}
        </Button>
      </div>
      {error !== null && (
        <p id={errorId} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </form>
  );
}
