'use client';
import clsx from 'clsx';
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Control, type FieldPath, type FieldValues, type UseFormReturn, useFormState } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '../button';
import { panelActions } from '../button-class';
import type { FieldProblem, Problem } from '../error-state';
import { Notice } from '../notice';

type Props<V extends FieldValues, Out> = {
  form: UseFormReturn<V, unknown, Out>;
  onSubmit: (values: Out) => void;
  /** What the server answered to the last submit, or null. Its field messages appear at their fields. */
  error: Problem | null;
  /** The submit is under way. */
  pending: boolean;
  /** The action in the imperative: "Add cluster". */
  submitLabel: string;
  /** Why submitting is not possible now. */
  disabledReason?: string | null;
  onCancel?: () => void;
  cancelLabel?: string;
  /** `panel` pins the buttons to the bottom edge of a dialog or drawer. */
  layout?: 'page' | 'panel';
  tone?: 'primary' | 'danger';
  /** Where the server's field path differs from the form's. Default: the same. */
  fieldName?: (field: string) => string;
  /** Left of the buttons. */
  aside?: ReactNode;
  children: ReactNode;
};

/** The frame of every form: submits once, shows what was refused at its field, and puts the focus on the first of them. */
export function FormShell<V extends FieldValues, Out>({
  form,
  onSubmit,
  error,
  pending,
  submitLabel,
  disabledReason,
  onCancel,
  cancelLabel,
  layout = 'page',
  tone = 'primary',
  fieldName = (field) => field,
  aside,
  children,
}: Props<V, Out>) {
  const t = useT();
  const ref = useRef<HTMLFormElement>(null);
  const unplaced = useServerErrors(ref, form, error, fieldName);
  return (
    <form
      ref={ref}
      noValidate
      aria-busy={pending || undefined}
      onSubmit={(event) => {
        // A form inside an overlay is a child of the page's form in React's tree; it must not submit both.
        event.stopPropagation();
        event.preventDefault();
        if (pending || disabledReason) return;
        void form.handleSubmit((values) => onSubmit(values))(event);
      }}
      className={clsx('flex flex-col gap-4', layout === 'panel' && '-mb-4')}
    >
      {error && <Summary problem={error} unplaced={unplaced} />}
      <RootError control={form.control} />
      {children}
      <div className={layout === 'panel' ? panelActions : 'flex flex-wrap items-center justify-end gap-2'}>
        {aside && <div className="mr-auto min-w-0">{aside}</div>}
        {onCancel && (
          <Button onClick={onCancel} disabledReason={pending && t('Wait for the current action to finish')}>
            {cancelLabel ?? t('Cancel')}
          </Button>
        )}
        <Button type="submit" variant={tone} pending={pending} disabledReason={disabledReason}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** What is wrong with the form as a whole. It watches the errors itself: the form would be rendered again at each of them. */
function RootError<V extends FieldValues, Out>({ control }: { control: Control<V, unknown, Out> }) {
  const { root } = useFormState({ control }).errors;
  return root?.message && <Notice tone="danger" title={root.message} live />;
}

function Summary({ problem, unplaced }: { problem: Problem; unplaced: readonly FieldProblem[] }) {
  const t = useT();
  return (
    <Notice tone="danger" title={problem.title} live>
      {problem.detail && problem.detail !== problem.title && <p>{problem.detail}</p>}
      {unplaced.length > 0 && (
        <ul className="list-disc pl-4">
          {unplaced.map((item) => (
            <li key={`${item.field} ${item.message}`}>
              {item.field && <span className="mono">{item.field}: </span>}
              {item.message}
            </li>
          ))}
        </ul>
      )}
      {problem.request_id && (
        <p className="text-sm text-muted">
          {t.rich('Request <id>{request}</id>', {
            request: problem.request_id,
            id: (inside) => <span className="mono">{inside}</span>,
          })}
        </p>
      )}
    </Notice>
  );
}

/** Puts the server's messages at the fields of this form; returns those that have no field here. */
function useServerErrors<V extends FieldValues, Out>(
  ref: RefObject<HTMLFormElement | null>,
  form: UseFormReturn<V, unknown, Out>,
  error: Problem | null,
  fieldName: (field: string) => string,
): readonly FieldProblem[] {
  const [unplaced, setUnplaced] = useState<readonly FieldProblem[]>([]);
  const place = useEffectEvent((problem: Problem | null) => {
    const fields = ref.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [];
    const shown = Array.from(fields, (element) => element.dataset.field ?? '');
    const errors = (problem?.errors ?? []).map((item) => ({ ...item, name: fieldName(item.field) }));
    setUnplaced(errors.filter((item) => !shown.includes(item.name)));
    const placed = errors
      .filter((item) => shown.includes(item.name))
      .sort((a, b) => shown.indexOf(a.name) - shown.indexOf(b.name));
    for (const [index, item] of placed.entries()) {
      form.setError(item.name as FieldPath<V>, { type: 'server', message: item.message }, { shouldFocus: index === 0 });
    }
  });
  // The same answer may be another object at each rendering, and placing it renders again.
  const answer = JSON.stringify(error);
  useEffect(() => place(JSON.parse(answer) as Problem | null), [answer]);
  return unplaced;
}
