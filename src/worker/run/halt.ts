// Why a command was stopped from outside. Carried as the reason of an AbortSignal.

export type Halt =
  | { readonly by: 'lease_lost' }
  | { readonly by: 'budget'; readonly detail: string }
  | { readonly by: 'shutdown' }
  | { readonly by: 'stall'; readonly seconds: number }
  | { readonly by: 'timeout'; readonly seconds: number }
  /** It only repeats a request that is refused. */
  | { readonly by: 'refused'; readonly why: string };

export function haltOf(signal: AbortSignal): Halt | null {
  return signal.aborted ? (signal.reason as Halt) : null;
}
