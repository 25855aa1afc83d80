'use client';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { type Control, useFieldArray } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { EMPTY_RULE, type PolicyValues } from './policy-form-values';
import { RuleRow } from './rule-row';

/** The rules in their order. They are moved by their handle, by buttons, or with Alt and the arrow keys. */
export function RulesField({ control }: { control: Control<PolicyValues, unknown, never> }) {
  const t = useT();
  const { fields, append, insert, remove, move } = useFieldArray({ control, name: 'rules' });
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const moveTo = (from: number, to: number) => {
    if (to < 0 || to >= fields.length || from === to) return;
    move(from, to);
    setAnnouncement(t('Rule moved to position {place} of {total}.', { place: to + 1, total: fields.length }));
    // The row is the same element in its new place; the focus goes along with its handle.
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-rule="${to}"] [data-handle]`)?.focus());
  };
  return (
    <div className="flex flex-col gap-2">
      {fields.length === 0 ? (
        <div className="rounded-lg border border-dashed">
          <EmptyState title={t('No rules yet')}>
            {t('A policy without rules filters no traffic. Rules are evaluated in order; the first match applies.')}
          </EmptyState>
        </div>
      ) : (
        <ol ref={list} aria-label={t('Rules')} className="flex flex-col rounded-lg border bg-surface">
          {fields.map((field, index) => (
            <RuleRow
              key={field.id}
              control={control}
              index={index}
              count={fields.length}
              onMove={(by) => moveTo(index, index + by)}
              onRemove={() => {
                remove(index);
                setAnnouncement(t('Rule {n} removed.', { n: index + 1 }));
              }}
              onDuplicate={(rule) => insert(index + 1, rule)}
              dragging={dragged === index}
              dropBefore={over === index && dragged !== null && dragged > index}
              dropAfter={over === index && dragged !== null && dragged < index}
              onDragStart={() => setDragged(index)}
              onDragOver={() => setOver(index)}
              onDragEnd={() => {
                if (dragged !== null && over !== null) moveTo(dragged, over);
                setDragged(null);
                setOver(null);
              }}
            />
          ))}
        </ol>
      )}
      <div>
        <Button
          icon={<Plus size={14} />}
          onClick={() => append(EMPTY_RULE)}
          disabledReason={fields.length >= 200 && t('Maximum of 200 rules reached')}
        >
          {t('Add rule')}
        </Button>
      </div>
      <span className="sr-only" role="status">
        {announcement}
      </span>
    </div>
  );
}
