'use client';
import { type ReactNode, useState } from 'react';
import { type Control, type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import type { z } from 'zod';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { Notice } from '@/ui/notice';
import type { Problem } from '@/ui/problem';
import { domainResolver } from './domain-resolver';

type Saving<In> = { mutate: (input: In) => void; reset: () => void; error: unknown; isPending: boolean };

type Props<V extends FieldValues, S extends z.ZodType<FieldValues>> = {
  title: string;
  description?: ReactNode;
  size?: 'md' | 'lg';
  defaultValues: V;
  schema: S;
  toInput: (values: V) => unknown;
  save: Saving<z.output<S>>;
  submitLabel: string;
  /** Reads the thing again after somebody else changed it, and gives the form's values of the new state. */
  reload?: () => Promise<V>;
  /** Where the server's field path differs from the form's. */
  fieldName?: (field: string) => string;
  onClose: () => void;
  children: (control: Control<V, unknown, z.output<S>>) => ReactNode;
};

/** A form in a drawer that creates or changes one record. Mount it when it opens. */
export function RecordDrawer<V extends FieldValues, S extends z.ZodType<FieldValues>>(props: Props<V, S>) {
  const t = useT();
  const { save, reload } = props;
  const [state, setState] = useState({ values: props.defaultValues, round: 0 });
  const [reloading, setReloading] = useState(false);
  const failure = save.error ? failureOf(save.error) : null;
  const outdated = failure?.code === 'version_conflict' && reload !== undefined;
  const showTheirs = async () => {
    setReloading(true);
    try {
      const values = await reload?.();
      if (values) setState(({ round }) => ({ values, round: round + 1 }));
      save.reset();
    } finally {
      setReloading(false);
    }
  };
  return (
    <Drawer
      open
      onOpenChange={(next) => !next && props.onClose()}
      size={props.size}
      persistent
      title={props.title}
      description={props.description}
    >
      <div className="flex flex-col gap-4">
        {outdated && (
          <Notice
            tone="warn"
            live
            title={t('Somebody else changed it meanwhile')}
            action={
              <Button size="sm" onClick={() => void showTheirs()} pending={reloading}>
                {t('Show their version')}
              </Button>
            }
          >
            {t('Your changes are not saved. Look at the new state, then change it again.')}
          </Notice>
        )}
        <RecordForm key={state.round} {...props} values={state.values} error={outdated ? null : failure} />
      </div>
    </Drawer>
  );
}

function RecordForm<V extends FieldValues, S extends z.ZodType<FieldValues>>(
  props: Props<V, S> & { values: V; error: Problem | null },
) {
  const form = useForm<V, unknown, z.output<S>>({
    defaultValues: props.values as DefaultValues<V>,
    resolver: domainResolver(props.schema, props.toInput),
  });
  return (
    <FormShell
      form={form}
      onSubmit={(input) => props.save.mutate(input)}
      error={props.error}
      pending={props.save.isPending}
      submitLabel={props.submitLabel}
      onCancel={props.onClose}
      layout="panel"
      fieldName={props.fieldName}
    >
      {props.children(form.control)}
    </FormShell>
  );
}
