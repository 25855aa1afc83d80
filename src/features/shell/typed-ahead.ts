/** What was typed before the code of the dialog arrived. */
export type Typed = { text: string; enter: boolean };

/** Keeps the keys that are typed between opening a dialog and the arrival of its code, which then takes them. */
export function makeTypedAhead() {
  let typed: Typed = { text: '', enter: false };
  let escaped = () => {};
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') escaped();
    else if (event.key === 'Enter') typed.enter = true;
    else if (event.key === 'Backspace') typed.text = typed.text.slice(0, -1);
    else if (event.key.length === 1) typed.text += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    /** Begins; `onEscape` when the user changed their mind. */
    keep(onEscape: () => void) {
      typed = { text: '', enter: false };
      escaped = onEscape;
      document.addEventListener('keydown', listen, true);
    },
    /** Ends, and returns what was typed. */
    take(): Typed {
      document.removeEventListener('keydown', listen, true);
      return typed;
    },
  };
}
