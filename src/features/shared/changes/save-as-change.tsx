'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { RadioGroup } from '@/ui/radio-group';
import { TextInput } from '@/ui/text-input';
import { showToast } from '@/ui/toast';
import { editsSame, type ItemInput, toItemInput } from './to-item-input';

type Props = {
  item: ItemInput;
  /** Proposed for a new change. */
  title: string;
  onClose: () => void;
  /** It is stored; the page of the change opens next. */
  onSaved?: () => void;
};

const NEW = 'new';
/** Drafts to choose between. */
const DRAFTS = 20;

/** Keeps an edit in a change instead of storing it: in a new one, or in a draft of the reader. Mount it when it opens. */
export function SaveAsChange({ item: asked, title: proposed, onClose, onSaved }: Props) {
  const t = useT();
  const id = useId();
  // With the version that it is an edit of, whichever is stored while this is open.
  const [item] = useState(asked);
  const [title, setTitle] = useState(proposed.slice(0, 120));
  const [chosen, setChosen] = useState<string>(NEW);
  const drafts = useOwnDrafts();
  const save = useSave(onSaved);
  const failure = save.error ? toFailure(save.error) : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      persistent={save.isPending}
      title={t('Save as change')}
      description={t('Nothing is stored or applied until the change is applied.')}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            pending={save.isPending}
            disabledReason={chosen === NEW && title.trim() === '' ? t('Enter a title') : null}
            onClick={() => save.mutate({ item, into: chosen === NEW ? { title } : { id: chosen } })}
          >
            {t('Save in change')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {failure && (
          <Notice tone="danger" live title={failure.title}>
            {failure.detail}
            {failure.errors?.map(({ field, message }) => (
              <p key={field}>{message}</p>
            ))}
          </Notice>
        )}
        {drafts.length > 0 && (
          <RadioGroup
            aria-label={t('Change')}
            value={chosen}
            onValueChange={(value) => setChosen(value ?? NEW)}
            options={[
              { value: NEW, label: t('New change') },
              ...drafts.map(({ id: value, title: label, items_total: n }) => ({
                value,
                label,
                description: t('{n, plural, one {# edit} other {# edits}}', { n }),
              })),
            ]}
          />
        )}
        {chosen === NEW && (
          <div className="flex flex-col gap-1">
            <label htmlFor={id} className="font-medium">
              {t('Title')}
            </label>
            <TextInput id={id} value={title} maxLength={120} onChange={(event) => setTitle(event.target.value)} />
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Drafts that the reader created. */
function useOwnDrafts() {
  const trpc = useTRPC();
  const session = useSession();
  const userId = session.status === 'signed_in' ? session.user.id : null;
  const { data } = useQuery(trpc.changes.list.queryOptions({ state: 'draft', sort: '-updated_at', limit: DRAFTS }));
  return data?.items.filter(({ created_by }) => created_by.id === userId) ?? [];
}

type Saving = { item: ItemInput; into: { title: string } | { id: string } };

/** Creates the change, or adds the edit to one, in place of an earlier edit of the same object. */
function useSave(onSaved: (() => void) | undefined) {
  const t = useT();
  const router = useRouter();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ item, into }: Saving) => {
      if ('title' in into) return client.changes.create.mutate({ title: into.title, items: [item] });
      const draft = await client.changes.get.query({ id: into.id });
      const kept = draft.items.map(toItemInput).filter((one) => !editsSame(one, item));
      return client.changes.update.mutate({ id: draft.id, version: draft.version, items: [...kept, item] });
    },
    onSuccess: (change) => {
      queryClient.setQueryData(trpc.changes.get.queryKey({ id: change.id }), change);
      void queryClient.invalidateQueries(trpc.changes.list.pathFilter());
      showToast('ok', { title: t('Saved in {title}', { title: change.title }) });
      onSaved?.();
      router.push(paths.change({ changeId: change.id }));
    },
  });
}
