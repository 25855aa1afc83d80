'use client';
import { SegmentedControl } from '@/ui/segmented-control';
import { THEMES } from '@/ui/theme-cookie';
import { useTheme } from '@/ui/use-theme';

const TITLES = { light: 'Light', dark: 'Dark', system: 'System' };

export function KitTheme() {
  const [theme, setTheme] = useTheme();
  return (
    <SegmentedControl
      label="Theme"
      value={theme}
      onValueChange={setTheme}
      options={THEMES.map((value) => ({ value, label: TITLES[value] }))}
    />
  );
}
