'use client';
import { Combobox } from '@base-ui/react/combobox';
import { Popover } from '@base-ui/react/popover';
import { ArrowLeft } from 'lucide-react';
import { useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '../button';
import { ComboboxStatus, OptionList } from '../combobox-popup';
import type { Option } from '../option';
import { FilterEditor } from './filter-editor';
import { type FilterField, toggled } from './filter-field';

type Props = {
  /** One field: its values. Several: the fields first. */
  fields: readonly FilterField[];
  anchor: HTMLElement | null;
  /** Names the popup. */
  label: string;
  onClose: () => void;
};

/** The popup beside a chip, and below "Filter". What is typed in it applies when it is left; Esc leaves without applying. */
export function FilterPopup({ fields, anchor, label, onClose }: Props) {
  const leave = useRef<(() => boolean) | null>(null);
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Popover.Root
      open
      onOpenChange={(open, { reason, event }) => {
        if (open) return;
        // The button that opened it closes it by itself.
        if (anchor?.contains(event.target as Node | null) && reason === 'outside-press') return;
        if (reason !== 'escape-key' && leave.current?.() === false) return;
        onClose();
      }}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} align="start" sideOffset={4} className="z-(--layer-overlay) outline-none">
          <Popover.Popup
            ref={popup}
            aria-label={label}
            initialFocus={() => popup.current?.querySelector('input') ?? true}
            finalFocus={() => anchor}
            className="popup flex max-h-[min(24rem,var(--available-height))] w-72 max-w-(--available-width) flex-col outline-none"
          >
            <Content fields={fields} leave={leave} onDone={onClose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ContentProps = Pick<Props, 'fields'> & { leave: { current: (() => boolean) | null }; onDone: () => void };

function Content({ fields, leave, onDone }: ContentProps) {
  const t = useT();
  const [only] = fields;
  const [id, setId] = useState(fields.length === 1 ? only?.id : undefined);
  const field = fields.find((one) => one.id === id);
  if (!field) return <FieldList fields={fields} onField={setId} onDone={onDone} />;
  return (
    <>
      {fields.length > 1 && (
        <div className="flex items-center gap-1 border-b p-1">
          <IconButton
            size="sm"
            label={t('All filters')}
            icon={<ArrowLeft size={14} />}
            onClick={() => setId(undefined)}
          />
          <span className="font-medium">{field.label}</span>
        </div>
      )}
      <FilterEditor key={field.id} field={field} leave={leave} onDone={onDone} autoFocus={fields.length > 1} />
    </>
  );
}

type Choice = Option & { field: FilterField; chosen?: string };

/** The fields. Typed text also matches their values: "sto" finds "Status: Stopped". */
function FieldList({
  fields,
  onField,
  onDone,
}: Pick<Props, 'fields'> & { onField: (id: string) => void; onDone: () => void }) {
  const t = useT();
  const [text, setText] = useState('');
  const items = fieldChoices(fields, text, (label, value) => t('{label}: {text}', { label, text: value }));
  return (
    <Combobox.Root<Choice>
      inline
      open
      items={items}
      filter={null}
      value={null}
      onValueChange={(choice) => {
        if (!choice) return;
        if (choice.chosen === undefined) return onField(choice.field.id);
        choice.field.onValueChange(toggled(choice.field, choice.chosen));
        onDone();
      }}
      inputValue={text}
      onInputValueChange={(next, { reason }) => reason === 'input-change' && setText(next)}
      autoHighlight
    >
      <div className="border-b p-1">
        <Combobox.Input
          aria-label={t('Search filters')}
          placeholder={t('Type a filter or value')}
          className="h-8 w-full bg-transparent px-2 outline-none"
        />
      </div>
      <ComboboxStatus />
      <OptionList />
    </Combobox.Root>
  );
}

/** Without a text all fields; with one, the fields and values that contain it. */
export function fieldChoices(
  fields: readonly FilterField[],
  text: string,
  named: (label: string, value: string) => string,
): Choice[] {
  const requested = text.trim().toLowerCase();
  const fits = (label: string) => label.toLowerCase().includes(requested);
  const whole = fields
    .filter(({ label }) => fits(label))
    .map((field) => ({ value: field.id, label: field.label, field }));
  if (requested === '') return whole;
  const values = fields.flatMap((field) =>
    field.options
      .filter(({ label, disabledReason }) => disabledReason === undefined && fits(label))
      .map((option) => ({
        value: `${field.id} ${option.value}`,
        label: named(field.label, option.label),
        field,
        chosen: option.value,
      })),
  );
  return [...whole, ...values];
}
