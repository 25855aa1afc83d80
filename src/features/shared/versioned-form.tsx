'use client';
import { Fragment, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { FormShell } from '@/ui/form/form-shell';
import { loadLater } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { ChangeRefusal } from './changes/change-refusal';
import { withoutProposed } from './changes/proposed-change';
import { type DrawerProps, FormDrawer } from './record-drawer';
import { usePermissions } from './use-permissions';
import { useVersionedForm, type VersionedEdit, type VersionedForm as VersionedState } from './use-versioned-form';

const VersionConflict = loadLater(() => import('./version-conflict').then((module) => module.VersionConflict));

type Thing = { version: number };
type Comparison<V> = {
  /** Fields that are compared, with their names. */
  labels: Record<string, string>;
  /** Their values as they are compared. Default: the form's. */
  words?: (values: V) => Record<string, unknown>;
};
type Common = {
  submitLabel: string;
  /** What a conflict is called. Default: of any record. */
  outdatedTitle?: string;
};
type Content<T, V extends FieldValues, Out> = (form: UseFormReturn<V, unknown, Out>, base: T) => ReactNode;

/** Both versions side by side, above the fields. */
function Compared<T extends Thing, V extends FieldValues, Out>({
  edit,
  labels,
  words = (values) => values,
}: { edit: VersionedState<T, V, Out> } & Comparison<V>) {
  const { form, base, conflict } = edit;
  const mine = { ...edit.valuesOf(base), ...useWatch({ control: form.control }) } as V;
  return (
    <VersionConflict
      labels={labels}
      mine={words(mine)}
      theirs={conflict?.theirs && words(edit.valuesOf(conflict.theirs))}
      pending={edit.pending}
      onTake={() => void edit.takeTheirs()}
      onKeep={edit.keepMine}
    />
  );
}

/** Says that another version was saved, and offers to show it. */
function Outdated({
  title,
  action,
  children,
  onShow,
}: {
  title: string;
  action: string;
  children: string;
  onShow: () => Promise<void>;
}) {
  const [pending, setPending] = useState(false);
  const show = () => {
    setPending(true);
    // Without an answer the notice stays, and with it the button.
    onShow().catch(() => setPending(false));
  };
  return (
    <Notice
      tone="warn"
      live
      title={title}
      action={
        <Button size="sm" onClick={show} pending={pending}>
          {action}
        </Button>
      }
    >
      {children}
    </Notice>
  );
}

/** Says so of a record, while another version is in the way. */
export function RecordOutdated<T extends Thing, V extends FieldValues, Out>({
  edit,
  title,
}: {
  edit: VersionedState<T, V, Out>;
  title?: string | undefined;
}) {
  const t = useT();
  if (!edit.conflict) return null;
  return (
    <Outdated title={title ?? t('Changed by another user')} action={t('Load current version')} onShow={edit.takeTheirs}>
      {t('Your changes are not saved. Review the current version, then edit it again.')}
    </Outdated>
  );
}

type PanelProps<T extends Thing, V extends FieldValues, S extends z.ZodType<FieldValues>, R> = VersionedEdit<
  T,
  V,
  S,
  R
> &
  Common & { compare?: Comparison<V>; onClose: () => void; children: Content<T, V, z.output<S>> };

/** The form in a drawer that changes one thing. With `compare` a conflict shows both versions side by side. */
export function VersionedForm<T extends Thing, V extends FieldValues, S extends z.ZodType<FieldValues>, R>({
  compare,
  submitLabel,
  outdatedTitle,
  onClose,
  children,
  ...declared
}: PanelProps<T, V, S, R>) {
  const t = useT();
  const edit = useVersionedForm({ ...declared, compares: compare !== undefined });
  const unchanged = edit.isChanged ? null : t('No changes');
  const shell = (
    <FormShell
      form={edit.form}
      onSubmit={edit.submit}
      error={withoutProposed(edit.failure)}
      pending={edit.pending}
      submitLabel={submitLabel}
      disabledReason={compare ? (edit.conflict ? t('Choose a version first') : unchanged) : null}
      onCancel={onClose}
      layout="panel"
      fieldName={edit.fieldName}
    >
      <ChangeRefusal failure={edit.failure} />
      {compare && edit.conflict && <Compared edit={edit} {...compare} />}
      {/* Fields of another version start over, with the focus on the first. */}
      <Fragment key={compare ? undefined : edit.base.version}>{children(edit.form, edit.base)}</Fragment>
    </FormShell>
  );
  if (compare) return shell;
  return (
    <div className="flex flex-col gap-4">
      <RecordOutdated edit={edit} title={outdatedTitle} />
      {shell}
    </div>
  );
}

/** The same with its drawer. Mount it when it opens. */
export function VersionedDrawer<T extends Thing, V extends FieldValues, S extends z.ZodType<FieldValues>, R>({
  title,
  description,
  size,
  ...form
}: DrawerProps & PanelProps<T, V, S, R>) {
  return (
    <FormDrawer title={title} description={description} size={size} onClose={form.onClose}>
      <VersionedForm {...form} />
    </FormDrawer>
  );
}

type SectionsProps<T extends Thing, V extends FieldValues, Out> = Common & {
  edit: VersionedState<T, V, Out>;
  /** As it was last read. */
  stored: T;
  outdatedTitle: string;
  children: (locked: string | null) => ReactNode;
};

/** The form on a settings page, visible to all users who can open the page. */
export function VersionedSettings<T extends Thing, V extends FieldValues, Out>({
  edit,
  stored,
  submitLabel,
  outdatedTitle,
  children,
}: SectionsProps<T, V, Out>) {
  const t = useT();
  const { reason } = usePermissions();
  // Only administrators change settings of the whole installation.
  const locked = reason('*');
  const { isDirty } = edit.form.formState;
  // What others save is shown unless something was typed.
  const update = useEffectEvent((current: T) => {
    if (!isDirty && current.version > edit.base.version) edit.show(current);
  });
  useEffect(() => update(stored), [stored]);
  return (
    <>
      {locked && (
        <Notice tone="info" title={t('Read-only')}>
          {locked}
        </Notice>
      )}
      {edit.conflict && (
        <Outdated title={outdatedTitle} action={t('Load current settings')} onShow={edit.takeTheirs}>
          {t('Your changes are not saved. Review the current settings, then edit them again.')}
        </Outdated>
      )}
      <FormShell
        form={edit.form}
        onSubmit={edit.submit}
        error={edit.failure}
        pending={edit.pending}
        submitLabel={submitLabel}
        disabledReason={locked ?? (isDirty ? null : t('No changes'))}
        onCancel={isDirty ? () => edit.form.reset() : undefined}
        cancelLabel={t('Discard changes')}
      >
        {/* As above. */}
        <Fragment key={edit.base.version}>{children(locked)}</Fragment>
      </FormShell>
    </>
  );
}
