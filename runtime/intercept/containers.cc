// SPDX-License-Identifier: Apache-2.0

// What libstdc++ does to the nodes of std::map, std::set and std::list in functions of its own.
// Everything else of these containers is in headers and so recorded where it is used.
//
// Of a tree only the pointers are recorded that are written in any case: those of the parent and
// of the header. What is written when the tree is balanced is not.
#include "runtime/intercept/library_accesses.h"
#include "runtime/platform/real.h"

namespace foretell::rt {
namespace {

struct TreeNode {
  int color;
  TreeNode* parent;
  TreeNode* left;
  TreeNode* right;
};
static_assert(sizeof(TreeNode) == 32);

struct ListNode {
  ListNode* next;
  ListNode* previous;
};

template <class Function>
Function* of_libstdcxx(Function*& function) {
  if (!function) resolve_cxx_functions();
  return function;
}

void note_insertion(LibraryAccesses& access, bool left, TreeNode* parent, TreeNode* head) {
  access.write(left ? &parent->left : &parent->right, sizeof(TreeNode*));
  if (parent == head) {
    access.write(&head->parent, sizeof(TreeNode*));
    access.write(&head->right, sizeof(TreeNode*));
  } else if (left && parent == head->left) {
    access.write(&head->left, sizeof(TreeNode*));
  } else if (!left && parent == head->right) {
    access.write(&head->right, sizeof(TreeNode*));
  }
}

void note_erasure(LibraryAccesses& access, TreeNode* node, TreeNode* head) {
  TreeNode* parent = node->parent;
  if (head->parent == node) {
    access.write(&head->parent, sizeof(TreeNode*));
  } else {
    access.write(parent->left == node ? &parent->left : &parent->right, sizeof(TreeNode*));
  }
  if (head->left == node) access.write(&head->left, sizeof(TreeNode*));
  if (head->right == node) access.write(&head->right, sizeof(TreeNode*));
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
    bool left, void* node, void* parent, void* head) {
  if (of_interest()) {
    LibraryAccesses access(__builtin_return_address(0));
    access.write(node, sizeof(TreeNode));
    note_insertion(access, left, static_cast<TreeNode*>(parent), static_cast<TreeNode*>(head));
  }
  of_libstdcxx(real._ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_)(
      left, node, parent, head);
}

FORETELL_INTERCEPT void* _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(void* node,
                                                                                      void* head) {
  if (of_interest()) {
    LibraryAccesses access(__builtin_return_address(0));
    note_erasure(access, static_cast<TreeNode*>(node), static_cast<TreeNode*>(head));
  }
  return of_libstdcxx(real._ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_)(node,
                                                                                         head);
}

FORETELL_INTERCEPT void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(void* node, void* position) {
  if (of_interest()) {
    LibraryAccesses access(__builtin_return_address(0));
    auto* next = static_cast<ListNode*>(position);
    access.write(node, sizeof(ListNode));
    access.read(&next->previous, sizeof(ListNode*));
    access.write(&next->previous->next, sizeof(ListNode*));
    access.write(&next->previous, sizeof(ListNode*));
  }
  of_libstdcxx(real._ZNSt8__detail15_List_node_base7_M_hookEPS0_)(node, position);
}

FORETELL_INTERCEPT void _ZNSt8__detail15_List_node_base9_M_unhookEv(void* node) {
  if (of_interest()) {
    LibraryAccesses access(__builtin_return_address(0));
    auto* gone = static_cast<ListNode*>(node);
    access.read(gone, sizeof(ListNode));
    access.write(&gone->previous->next, sizeof(ListNode*));
    access.write(&gone->next->previous, sizeof(ListNode*));
  }
  of_libstdcxx(real._ZNSt8__detail15_List_node_base9_M_unhookEv)(node);
}
