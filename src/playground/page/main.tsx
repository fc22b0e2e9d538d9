import { render } from 'solid-js/web';

render(() => <main>Tenon</main>, document.getElementById('page') as HTMLElement);
