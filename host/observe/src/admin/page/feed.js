// The stream of snapshots: follows it, and begins anew when it breaks off.

// A snapshot comes each second; when none has come for this long, the connection is taken for dead.
const SILENCE = 6000;
const PAUSES = [500, 1000, 2000, 5000];

// Calls `told({ state, … })` with `live` and a snapshot, `lost` and the reason, or `locked` when a token is
// needed. Never ends. `token()` gives the token, `unlocked()` a promise that there is a new one.
export const follow = async (told, token, unlocked) => {
  for (let failed = 0; ; ) {
    try {
      await read((snapshot) => {
        failed = 0;
        told({ state: 'live', snapshot });
      }, token());
      told({ state: 'lost', reason: 'the server ended the stream' });
    } catch (error) {
      if (error.status === 401) {
        told({ state: 'locked' });
        await unlocked();
        continue;
      }
      told({ state: 'lost', reason: error.message });
    }
    const pause = PAUSES[Math.min(failed, PAUSES.length - 1)];
    failed += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};

// The page at /?servers=all shows all servers that publish where this one does.
const ALL = new URLSearchParams(location.search).get('servers') === 'all' ? '?servers=all' : '';

const read = async (each, token) => {
  const abort = new AbortController();
  let timer;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE);
  };
  alive();
  try {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(`/api/live${ALL}`, { headers, signal: abort.signal, cache: 'no-store' });
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const events = (rest + value).split('\n\n');
      rest = events.pop();
      for (const event of events) {
        if (event.startsWith('data: ')) each(JSON.parse(event.slice(6)));
      }
    }
  } catch (error) {
    if (error.status) throw error;
    throw new Error(abort.signal.aborted ? 'nothing came for some seconds' : 'the server does not answer');
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
};
