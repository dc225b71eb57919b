/**
 * The script of the page: search, filter by kind, open and close, and open everything for print. It only hides parts of the
 * page and writes two counts. Plain syntax, because it is not compiled.
 */
export const SCRIPT = String.raw`
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)]
  const byId = id => document.getElementById(id)
  const kindsOf = element => (element.dataset.kinds || '').split(' ')
  const countOf = element => Number(element.dataset.sets || 1)
  const form = byId('controls')
  const find = byId('find')
  const touched = byId('touched')
  const boxes = form ? all('input[name=kind]', form) : []
  let pages

  const index = () => {
    if (pages) return pages
    const sets = all('.set').map(element => ({
      element,
      text: element.textContent.toLowerCase(),
      kinds: kindsOf(element),
      count: countOf(element),
      entries: all('.entry', element).map(entry => ({ element: entry, kinds: kindsOf(entry) })),
    }))
    const byHash = new Map()
    for (const set of sets)
      for (const own of [set.element, ...all('.members > li', set.element)]) if (own.id) byHash.set('#' + own.id, set)
    const heads = all('.matrix thead th').map(head => head.textContent.toLowerCase())
    const rows = all('.matrix tbody tr').map(element => {
      const link = element.querySelector('th a')
      const cells = [...element.children]
      const reached = cells.map((cell, at) => (at > 0 && cell.className ? heads[at] : '')).join(' ')
      return {
        element,
        cells,
        moves: element.dataset.moves === 'yes',
        set: link ? byHash.get(link.getAttribute('href')) : undefined,
        text: cells[0].textContent.toLowerCase() + ' ' + reached,
        kinds: kindsOf(element),
      }
    })
    pages = { sets, rows, heads: all('.matrix thead th') }
    return pages
  }

  const narrow = () => {
    const { sets, rows, heads } = index()
    const words = find ? find.value.toLowerCase().split(/\s+/).filter(word => word !== '') : []
    const wanted = boxes.filter(box => box.checked).map(box => box.value)
    const says = text => words.every(word => text.includes(word))
    const isWanted = kinds => wanted.length === 0 || kinds.some(kind => wanted.includes(kind))
    let shown = 0
    let whole = 0
    for (const set of sets) {
      const fits = says(set.text) && isWanted(set.kinds)
      set.fits = fits
      set.element.hidden = !fits
      whole += set.count
      if (fits) shown += set.count
      for (const entry of set.entries) entry.element.hidden = !isWanted(entry.kinds)
    }
    const onlyMoves = touched !== null && touched.checked
    const narrowed = onlyMoves || words.length > 0 || wanted.length > 0
    const used = heads.map((_, at) => at === 0 || !narrowed)
    for (const row of rows) {
      const fits = (says(row.text) && isWanted(row.kinds)) || (row.set !== undefined && row.set.fits)
      row.element.hidden = !fits || (onlyMoves && !row.moves)
      if (narrowed && !row.element.hidden)
        row.cells.forEach((cell, at) => {
          if (cell.className && !(onlyMoves && cell.classList.contains('same'))) used[at] = true
        })
    }
    heads.forEach((head, at) => { head.hidden = !used[at] })
    for (const row of rows) row.cells.forEach((cell, at) => { cell.hidden = !used[at] })
    if (!form) return
    byId('none').hidden = shown > 0
    byId('shown').textContent = shown === whole ? whole + ' shown' : shown + ' of ' + whole + ' shown'
  }

  const openAll = open => {
    for (const details of all('.set > details')) details.open = open
  }

  const openTarget = () => {
    const target = location.hash === '' ? null : byId(location.hash.slice(1))
    const set = target && target.closest('.set')
    if (!set) return
    if (set.hidden) clear()
    for (const details of all('details', set)) details.open = true
    const head = set.querySelector('summary')
    if (head) head.focus()
    target.scrollIntoView({ block: 'start' })
  }

  const clear = () => {
    if (find) find.value = ''
    for (const box of boxes) box.checked = false
    narrow()
  }

  if (form) {
    form.hidden = false
    form.addEventListener('submit', event => event.preventDefault())
    form.addEventListener('input', narrow)
    byId('open').addEventListener('click', () => openAll(true))
    byId('close').addEventListener('click', () => openAll(false))
    document.addEventListener('keydown', event => {
      if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
        event.preventDefault()
        find.focus()
      } else if (event.key === 'Escape' && event.target === find) clear()
    })
    byId('shown').textContent = all('.set').reduce((sum, set) => sum + countOf(set), 0) + ' shown'
  }
  if (touched) {
    touched.closest('.choice').hidden = false
    touched.addEventListener('input', narrow)
  }
  let closed = []
  addEventListener('beforeprint', () => {
    closed = all('details').filter(details => !details.open)
    for (const details of closed) details.open = true
  })
  addEventListener('afterprint', () => {
    for (const details of closed) details.open = false
  })
  addEventListener('hashchange', openTarget)
  openTarget()
})()
`
