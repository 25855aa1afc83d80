'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type NetboxSource, NetboxSourceInput, NetboxSourceUpdate } from '@/domain/netbox/source';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../../shared/delete-dialog';
import { useVersioned } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { VersionedDrawer } from '../../shared/versioned-form';
import { NetboxFields } from './netbox-fields';
import { EMPTY_NETBOX, netboxFieldName, toNetboxInput, toNetboxUpdate, toNetboxValues } from './netbox-form-values';

type Props = { source: NetboxSource; onClose: () => void };

/** Makes a source. Mount it when it opens. */
export function AddNetboxDrawer({
  onClose,
  onAdded,
}: {
  onClose: () => void;
  onAdded: (source: NetboxSource) => void;
}) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.netbox.create.mutationOptions({
      onSuccess: (source) => {
        void queryClient.invalidateQueries(trpc.netbox.pathFilter());
        onAdded(source);
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Add NetBox source')}
      description={t('Nothing is read before you preview it.')}
      size="lg"
      defaultValues={EMPTY_NETBOX}
      schema={NetboxSourceInput}
      toInput={toNetboxInput}
      save={save}
      fieldName={netboxFieldName}
      submitLabel={t('Add NetBox source')}
      onClose={onClose}
    >
      {(control) => <NetboxFields control={control} />}
    </RecordDrawer>
  );
}

/** Changes a source. Mount it when it opens. */
export function EditNetboxDrawer({ source, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.netbox.get.queryOptions({ id: source.id }),
    saved: () => t('NetBox source saved'),
    outdated: [trpc.netbox.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: source.name })}
      size="lg"
      opened={source}
      {...stored}
      schema={NetboxSourceUpdate}
      toValues={toNetboxValues}
      toInput={toNetboxUpdate}
      fieldName={netboxFieldName}
      save={(input) => client.netbox.update.mutate({ id: source.id, ...input })}
      submitLabel={t('Save NetBox source')}
    >
      {({ control }) => <NetboxFields control={control} stored={source} />}
    </VersionedDrawer>
  );
}

/** Asks before a source goes. */
export function DeleteNetboxDialog({ source, onClose, onDeleted }: Props & { onDeleted?: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete NetBox source {name}?', { name: source.name })}
      confirmLabel={t('Delete NetBox source')}
      name={source.name}
      remove={async () => {
        await client.netbox.delete.mutate({ id: source.id });
        onDeleted?.();
      }}
      outdated={[trpc.netbox.pathFilter()]}
      onClose={onClose}
    >
      <p>{t('Imported prefixes and addresses stay.')}</p>
    </DeleteDialog>
  );
}
