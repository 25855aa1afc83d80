'use client';
import { useId, useState } from 'react';
import type { SuggestedGroup, Suggestion } from '@/domain/suggestion/suggestion';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { TextInput } from '@/ui/text-input';
import { type GivenGroup, replaceGroup, toGiven } from './suggestion-groups';
import { GROUP_KIND_LABELS } from './suggestion-labels';
import type { Choices } from './use-suggestion';

/** The groups of the draft, which can be merged, split and renamed. */
export function SuggestedGroups({ suggestion, choices }: { suggestion: Suggestion; choices: Choices }) {
  const t = useT();
  const { groups, is_edited } = suggestion;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** With the draft as it was when the dialog opened. */
  const [edited, setEdited] = useState<{ group: SuggestedGroup; of: Suggestion } | null>(null);
  const send = (next: GivenGroup[] | null, of = suggestion) =>
    choices.choose({ groups: next, version: of.version }, () => {
      setSelected(new Set());
      // Another group may be edited by now.
      setEdited((now) => (now === edited ? null : now));
    });
  const edit = (group: SuggestedGroup | null) => {
    if (choices.isError) choices.reset();
    setEdited(group && { group, of: suggestion });
  };
  const chosen = groups.filter(({ endpoint }) => selected.has(endpoint));
  const isMixed = new Set(chosen.map(({ in_scope }) => in_scope)).size > 1;
  const merge = () => {
    const [first] = chosen;
    if (!first) return;
    const merged = { ...toGiven(first), workload_ids: chosen.flatMap((one) => toGiven(one).workload_ids) };
    send([merged, ...groups.filter((one) => !chosen.includes(one)).map(toGiven)]);
  };
  const toggle = (endpoint: string) =>
    setSelected((before) => {
      const next = new Set(before);
      if (!next.delete(endpoint)) next.add(endpoint);
      return next;
    });
  return (
    <Section
      bare
      title={t('Groups')}
      description={t('Workloads with the same peers and services.')}
      actions={
        <>
          {is_edited && (
            <Button size="sm" onClick={() => send(null)}>
              {t('Discard edits')}
            </Button>
          )}
          <Button
            size="sm"
            pending={choices.isPending}
            disabledReason={
              chosen.length < 2
                ? t('Select at least two groups.')
                : isMixed && t('Workloads of the scope and others cannot be one group.')
            }
            onClick={merge}
          >
            {t('Merge groups')}
          </Button>
        </>
      }
    >
      <ul className="divide-y rounded-lg border bg-surface">
        {groups.map((group) => (
          <li key={group.endpoint} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <Checkbox
              checked={selected.has(group.endpoint)}
              onCheckedChange={() => toggle(group.endpoint)}
              aria-label={t('Select {name}', { name: group.name })}
            />
            <span className="font-medium [overflow-wrap:anywhere]">{group.name}</span>
            <Badge>{t(GROUP_KIND_LABELS[group.kind])}</Badge>
            {!group.in_scope && <Badge>{t('Outside the scope')}</Badge>}
            <span className="min-w-0 flex-1 basis-40 truncate text-muted">
              {group.workloads.map(({ name }) => name).join(', ')}
            </span>
            {group.kind === 'new' && (
              <Button
                size="sm"
                aria-label={t('Edit group {name}', { name: group.name })}
                // What is edited has the version that the choice before makes.
                pending={choices.isPending}
                onClick={() => edit(group)}
              >
                {t('Edit group')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {edited && (
        <EditGroup
          group={edited.group}
          choices={choices}
          onClose={() => edit(null)}
          onSave={(parts) => send(replaceGroup(edited.of.groups, edited.group, parts), edited.of)}
        />
      )}
    </Section>
  );
}

type EditProps = {
  group: SuggestedGroup;
  choices: Choices;
  onClose: () => void;
  onSave: (parts: GivenGroup[]) => void;
};

function EditGroup({ group, choices: { isPending, error }, onClose, onSave }: EditProps) {
  const t = useT();
  const failure = error ? toFailure(error) : null;
  const field = useId();
  const [name, setName] = useState(group.name);
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const ids = group.workloads.map(({ id }) => id);
  const save = () => {
    const parts = [
      { name: name.trim(), workload_ids: ids.filter((id) => !apart.has(id)) },
      { name: null, workload_ids: ids.filter((id) => apart.has(id)) },
    ];
    onSave(parts.filter(({ workload_ids }) => workload_ids.length > 0));
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Edit group')}
      description={t('Select workloads to split them off into a group of their own.')}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            pending={isPending}
            disabledReason={
              name.trim() === ''
                ? t('Enter a name for the group.')
                : apart.size === ids.length && t('Leave at least one workload in the group.')
            }
            onClick={save}
          >
            {t('Save group')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {failure && (
          <Notice tone="danger" live title={failure.title}>
            {failure.errors?.[0]?.message ?? failure.detail}
          </Notice>
        )}
        <label htmlFor={field} className="flex flex-col gap-1">
          <span className="text-sm font-medium">{t('Group name')}</span>
          <TextInput id={field} value={name} onChange={(event) => setName(event.target.value)} maxLength={64} />
        </label>
        <ul className="max-h-72 overflow-auto">
          {group.workloads.map((workload) => (
            <li key={workload.id} className="flex items-center gap-2 py-1">
              <Checkbox
                checked={apart.has(workload.id)}
                aria-label={t('Split off {name}', { name: workload.name })}
                onCheckedChange={(isApart) =>
                  setApart((before) => {
                    const next = new Set(before);
                    if (isApart) next.add(workload.id);
                    else next.delete(workload.id);
                    return next;
                  })
                }
              />
              {workload.name}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
