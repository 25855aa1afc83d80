'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type IpamConflict, RESOLUTIONS_OF } from '@/domain/ipam/conflict';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { panelActions } from '@/ui/button-class';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { RadioGroup } from '@/ui/radio-group';
import { TextInput } from '@/ui/text-input';
import { showToast } from '@/ui/toast';
import { conflictText, type Resolution, resolutionChoice } from './conflict-labels';

type Props = { conflict: IpamConflict | null; onClose: () => void };

/** Asks how a conflict is decided; each choice says what follows from it. */
export function ResolveConflictDialog({ conflict, onClose }: Props) {
  const t = useT();
  return (
    <Dialog
      open={conflict !== null}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Resolve conflict')}
      description={conflict ? conflictText(t, conflict) : undefined}
    >
      {conflict && <Content key={conflict.id} conflict={conflict} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ conflict, onClose }: { conflict: IpamConflict; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [resolution, setResolution] = useState<Resolution | null>(null);
  const [note, setNote] = useState('');
  const resolve = useMutation(
    trpc.ipamConflicts.resolve.mutationOptions({
      onSuccess: () => {
        for (const part of [trpc.ipamConflicts, trpc.ipAddresses, trpc.subnets, trpc.workloads]) {
          void queryClient.invalidateQueries(part.pathFilter());
        }
        showToast('ok', { title: t('Conflict resolved') });
        onClose();
      },
    }),
  );
  const failure = resolve.error ? toFailure(resolve.error) : null;
  const allowed: readonly Resolution[] = RESOLUTIONS_OF[conflict.kind];
  return (
    <form
      className="-mb-4 flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (resolution) resolve.mutate({ id: conflict.id, resolution, note, version: conflict.version });
      }}
    >
      {failure && (
        <Notice tone="danger" live title={failure.title}>
          {failure.detail}
        </Notice>
      )}
      <RadioGroup<Resolution>
        aria-label={t('Decision')}
        value={resolution}
        onValueChange={setResolution}
        options={allowed.map((value) => {
          const { label, consequence } = resolutionChoice(t, value, conflict);
          return { value, label, description: consequence };
        })}
      />
      {/* biome-ignore lint/a11y/noLabelWithoutControl: TextInput renders the input. */}
      <label className="flex flex-col gap-1">
        <span className="font-medium">
          {t('Note')} <span className="font-normal text-faint">{t('(optional)')}</span>
        </span>
        <TextInput value={note} maxLength={1000} onChange={(event) => setNote(event.target.value)} />
      </label>
      <div className={panelActions}>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          type="submit"
          variant="primary"
          pending={resolve.isPending}
          disabledReason={resolution ? null : t('Select a resolution first')}
        >
          {t('Resolve conflict')}
        </Button>
      </div>
    </form>
  );
}
