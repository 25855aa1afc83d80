'use client';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from '@/ui/button-class';
import { Kbd, useModHotkey } from '@/ui/keys';
import type { NavGroup } from './navigation';
import { makeTypedAhead } from './typed-ahead';

// It arrives with the first Ctrl, not with every page.
const load = () => import('./palette-dialog');
const Palette = lazy(() => load().then(({ PaletteDialog }) => ({ default: PaletteDialog })));

type Props = { groups: readonly NavGroup[]; onSignOut: () => void; onShowShortcuts: () => void };

/** The search of everything with its button. Ctrl-K opens it from anywhere. */
export function ShellPalette(props: Props) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const [typed] = useState(makeTypedAhead);
  const change = (next: boolean) => {
    if (next) typed.keep(() => change(false));
    else typed.take();
    setOpen(next);
  };
  useEffect(() => () => void typed.take(), [typed]);
  useModHotkey('k', () => change(!open));
  useEffect(() => {
    const prepare = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') void load();
    };
    document.addEventListener('keydown', prepare);
    return () => document.removeEventListener('keydown', prepare);
  }, []);
  return (
    <>
      <button
        type="button"
        aria-label={t('Search everything')}
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={() => void load()}
        onClick={() => change(true)}
        className={buttonClass({ variant: 'ghost', className: 'max-md:w-8 max-md:!px-0' })}
      >
        <Search size={16} aria-hidden />
        <span className="font-normal max-md:hidden">{t('Search')}</span>
        <span className="flex gap-1 max-md:hidden" aria-hidden="true">
          <Kbd>Ctrl</Kbd>
          <Kbd>K</Kbd>
        </span>
      </button>
      {open && (
        <Suspense fallback={null}>
          <Palette {...props} onClose={() => change(false)} takeTyped={typed.take} />
        </Suspense>
      )}
    </>
  );
}
