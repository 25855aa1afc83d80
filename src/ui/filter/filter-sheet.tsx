'use client';
import clsx from 'clsx';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '../button';
import { Drawer } from '../drawer';
import { FilterEditor } from './filter-editor';
import { chipText, type FilterField } from './filter-field';

type Props = {
  fields: readonly FilterField[];
  /** The field whose choices are open at first. */
  first?: string;
  onClose: () => void;
  /** Clears all filters; null while none is set. */
  onClear: (() => void) | null;
};

/** All filters of a list on a narrow screen: each field opens its choices below itself. */
export function FilterSheet({ fields, first, onClose, onClear }: Props) {
  const t = useT();
  const [expanded, setExpanded] = useState(fields.length === 1 ? fields[0]?.id : first);
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      side="bottom"
      title={t('Filters')}
      footer={
        <>
          <Button
            className="!min-h-11"
            onClick={() => onClear?.()}
            disabledReason={onClear ? null : t('No filter is set')}
          >
            {t('Clear')}
          </Button>
          <Button className="!min-h-11" variant="primary" onClick={onClose}>
            {t('Show results')}
          </Button>
        </>
      }
    >
      <ul className="-my-2 flex flex-col">
        {fields.map((field) => {
          const open = expanded === field.id;
          const text = chipText(t, field);
          return (
            <li
              key={field.id}
              className="border-b last:border-b-0 [&_.control]:min-h-11 [&_[role=option]]:min-h-11 [&_form_button]:!min-h-11"
            >
              <button
                type="button"
                aria-expanded={open}
                onClick={() => setExpanded(open ? undefined : field.id)}
                className="flex min-h-11 w-full items-center gap-2 text-left text-base"
              >
                <span className="flex-1">{field.label}</span>
                <span className={clsx('max-w-1/2 truncate', text ? 'text-accent' : 'text-faint')}>
                  {text || t('Any')}
                </span>
                <ChevronDown size={16} className={clsx('shrink-0 text-faint', open && 'rotate-180')} aria-hidden />
              </button>
              {open && (
                <div className="mb-2 flex max-h-80 flex-col rounded-md border">
                  <FilterEditor field={field} onDone={() => setExpanded(undefined)} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </Drawer>
  );
}
