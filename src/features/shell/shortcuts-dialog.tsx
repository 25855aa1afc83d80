'use client';
import { Fragment, useId } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '@/ui/checkbox';
import { Dialog } from '@/ui/dialog';
import { Kbd, useSingleKeySwitch } from '@/ui/keys';
import type { NavGroup } from './navigation';

type Props = { groups: readonly NavGroup[]; onClose: () => void };
type Row = readonly [keys: readonly string[], text: string];

/** Every shortcut, and the switch for those of a single key. */
export function ShortcutsDialog({ groups, onClose }: Props) {
  const t = useT();
  const [single, setSingle] = useSingleKeySwitch();
  const descriptionId = useId();
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('Keyboard shortcuts')} size="lg">
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <Shortcuts
          title={t('Everywhere')}
          rows={[
            [['Ctrl', 'K'], t('Search everything')],
            [['?'], t('Show keyboard shortcuts')],
            [['Esc'], t('Close a dialog, drawer or menu')],
          ]}
        />
        <Shortcuts
          title={t('Lists')}
          rows={[
            [['/'], t('Search the list')],
            [['j'], t('Next row')],
            [['k'], t('Previous row')],
            [['↑', '↓'], t('Previous or next row')],
            [['Enter'], t('Open the row')],
            [['Space'], t('Select the row')],
            [['Esc'], t('Clear the search or the selection')],
          ]}
        />
        <Shortcuts
          title={t('Pages')}
          className="md:col-span-2"
          rows={groups.flatMap(({ entries }) => entries.map(({ key, label }): Row => [['g', key], t(label)]))}
        />
      </div>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is in it */}
      <label className="mt-4 flex items-start gap-2 border-t pt-4">
        <Checkbox className="mt-0.5" aria-describedby={descriptionId} checked={single} onCheckedChange={setSingle} />
        <span>
          <span className="block">{t('Single-key shortcuts')}</span>
          <span id={descriptionId} className="block text-muted">
            {t('Turn them off if speech input or accidental key presses trigger them. Remembered in this browser.')}
          </span>
        </span>
      </label>
    </Dialog>
  );
}

function Shortcuts({ title, rows, className }: { title: string; rows: readonly Row[]; className?: string }) {
  const columns = className ? 'sm:columns-2 md:columns-3' : '';
  return (
    <section className={className}>
      <h3 className="pb-1 text-sm text-muted">{title}</h3>
      <dl className={columns}>
        {rows.map(([keys, text]) => (
          <div key={text} className="flex break-inside-avoid items-center gap-3 py-0.5">
            <dt className="flex w-20 shrink-0 gap-1">
              {keys.map((key) => (
                <Fragment key={key}>
                  <Kbd>{key}</Kbd>
                </Fragment>
              ))}
            </dt>
            <dd className="min-w-0">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
