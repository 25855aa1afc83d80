/** A thin moving line at the top edge of its (relative) box: something is on its way and what is shown stays usable. */
export function ProgressLine() {
  return (
    <span aria-hidden="true" className="absolute inset-x-0 top-0 z-3 h-0.5 overflow-hidden">
      <span className="block h-full w-1/3 animate-indeterminate bg-accent" />
    </span>
  );
}
