/// Disjoint sets over `0..n`, by union of sizes and path halving (Tarjan and van Leeuwen, 1984).
#[derive(Debug, Clone, Default)]
pub struct UnionFind {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl UnionFind {
    /// `n` sets of one element each.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n).collect(), size: vec![1; n] }
    }

    /// The element that stands for the set of `item`; an item out of range stands for itself.
    pub fn find(&mut self, item: usize) -> usize {
        let mut at = item;
        while let Some(&up) = self.parent.get(at) {
            if up == at {
                break;
            }
            let top = self.parent.get(up).copied().unwrap_or(up);
            if let Some(slot) = self.parent.get_mut(at) {
                *slot = top;
            }
            at = top;
        }
        at
    }

    /// Joins two sets; whether they were apart. Items out of range join nothing.
    pub fn union(&mut self, a: usize, b: usize) -> bool {
        if a >= self.parent.len() || b >= self.parent.len() {
            return false;
        }
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let size = |of: usize| self.size.get(of).copied().unwrap_or(1);
        let total = size(a) + size(b);
        let (large, small) = if size(a) >= size(b) { (a, b) } else { (b, a) };
        if let Some(slot) = self.parent.get_mut(small) {
            *slot = large;
        }
        if let Some(slot) = self.size.get_mut(large) {
            *slot = total;
        }
        true
    }

    /// The sets, each ascending, ordered by their first element.
    pub fn components(&mut self) -> Vec<Vec<usize>> {
        let n = self.parent.len();
        let mut place = vec![usize::MAX; n];
        let mut components: Vec<Vec<usize>> = Vec::new();
        for item in 0..n {
            let root = self.find(item);
            let Some(slot) = place.get_mut(root) else { continue };
            if *slot == usize::MAX {
                *slot = components.len();
                components.push(Vec::new());
            }
            if let Some(component) = components.get_mut(*slot) {
                component.push(item);
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Components by walking the graph.
    pub(crate) fn walk(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut near = vec![Vec::new(); n];
        for (a, b) in edges {
            near[*a].push(*b);
            near[*b].push(*a);
        }
        let mut seen = vec![false; n];
        let mut all = Vec::new();
        for start in 0..n {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            let (mut stack, mut component) = (vec![start], Vec::new());
            while let Some(at) = stack.pop() {
                component.push(at);
                for next in &near[at] {
                    if !seen[*next] {
                        seen[*next] = true;
                        stack.push(*next);
                    }
                }
            }
            component.sort_unstable();
            all.push(component);
        }
        all
    }

    #[test]
    fn out_of_range_is_harmless() {
        let mut sets = UnionFind::new(2);
        assert!(!sets.union(0, 2));
        assert_eq!(sets.find(7), 7);
        assert!(sets.union(0, 1) && !sets.union(1, 0));
        assert_eq!(UnionFind::new(0).components(), Vec::<Vec<usize>>::new());
    }

    proptest! {
        #[test]
        fn agrees_with_walking_the_graph(
            (n, edges) in (1_usize..40).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((0..n, 0..n), 0..60))
            }),
        ) {
            let mut sets = UnionFind::new(n);
            for (a, b) in &edges {
                sets.union(*a, *b);
            }
            prop_assert_eq!(sets.components(), walk(n, &edges));
        }
    }
}
