'use client';
import clsx from 'clsx';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';

type Props = {
  /** Accessible name: "Setup". */
  label: string;
  steps: readonly { id: string; label: string }[];
  /** Id of the open step; those before it are done. */
  current: string;
  /** The open step: heading, form, buttons. */
  children: ReactNode;
};

/** A task in a fixed order of steps: where one is, what is done, what comes. */
export function Stepper({ label, steps, current, children }: Props) {
  const t = useT();
  const at = steps.findIndex((step) => step.id === current);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <nav aria-label={label}>
        <p className="text-muted md:hidden">
          {t.rich('Step {n} of {total}: <b>{label}</b>', {
            n: at + 1,
            total: steps.length,
            label: steps[at]?.label,
            b: (inside) => <span className="font-medium text-text">{inside}</span>,
          })}
        </p>
        <ol className="flex gap-1 max-md:mt-2 md:gap-3">
          {steps.map((step, index) => (
            <li
              key={step.id}
              aria-current={index === at ? 'step' : undefined}
              className={clsx(
                'flex flex-1 items-center gap-2 border-t-2 pt-2',
                index <= at ? '!border-text' : '!border-line',
                index === at ? 'font-medium' : index < at ? 'text-muted' : 'text-faint',
              )}
            >
              <span className="contents max-md:sr-only">
                <span aria-hidden="true" className="inline-flex w-4 justify-center tabular-nums max-md:hidden">
                  {index < at ? <Check size={14} className="text-ok" /> : index + 1}
                </span>
                <span className="truncate max-md:sr-only">{step.label}</span>
                {index < at && <span className="sr-only"> {t('(done)')}</span>}
              </span>
            </li>
          ))}
        </ol>
      </nav>
      {children}
    </div>
  );
}
